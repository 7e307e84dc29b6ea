import assert from "node:assert/strict";
import test from "node:test";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { changed, fieldsOf, put, rules } from "../../../test/changed-manifest.ts";
import { checkManifest } from "./check-manifest.ts";

test("at most a hundred violations are listed, and the rest is counted", () => {
  const { violations } = checkManifest(
    changed((valid) =>
      put(
        valid,
        "hooks",
        Array.from({ length: 300 }, () => ({ hookName: "!".repeat(1_000), path: "" })),
      ),
    ),
    rules,
  );
  assert.equal(violations.length, 101);
  assert.deepEqual(violations.at(-1), { field: "manifest", message: "and 499 more violations" });
  for (const { message } of violations) assert.ok(message.length < 400, message);
});

test("expressions over the cost limit are refused before they are compiled", () => {
  const route = (pattern: string) => (valid: AppManifest) => put(valid, "web_app.api.routes[0].pattern", pattern);
  assert.deepEqual(fieldsOf(route(`regex:/${"[a-z]{0,999}".repeat(70)}x`)), ["web_app.api.routes[0].pattern"]);
  assert.deepEqual(fieldsOf(route("regex:.*a.{500}x")), ["web_app.api.routes[0].pattern"]);
  assert.deepEqual(fieldsOf(route(`regex:/${"[a-z]{0,100}".repeat(7)}`)), ["web_app.api.routes[0].pattern"]);
  assert.deepEqual(fieldsOf(route("regex:/items/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")), []);
});

test("expressions of routes, settings and input schemas share one budget", () => {
  const manifest = changed((valid) => {
    put(valid, "web_app.api.routes[0].pattern", "regex:/a{90}b{90}c{90}");
    put(valid, "web_app.api.routes[0].path", undefined);
    put(valid, "settings.definitions[0].validation", { pattern: "[a-z]{0,100}[0-9]{0,100}[A-Z]{0,100}", enum: [] });
    put(valid, "settings.definitions[0].default_value", undefined);
    put(valid, "activities[0].input_schema", JSON.stringify({ items: { pattern: "^x{90}y{90}z{90}w{90}$" } }));
  });
  assert.deepEqual(checkManifest(manifest, rules).violations, []);
  put(
    manifest,
    "activities[0].input_schema",
    JSON.stringify({ patternProperties: { "^x{90}y{90}z{90}$": { pattern: "^(a{90}){4}$" } } }),
  );
  assert.deepEqual(
    checkManifest(manifest, rules).violations.map(({ field }) => field),
    ["activities[0].input_schema"],
  );
});
