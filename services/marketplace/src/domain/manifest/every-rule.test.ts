import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, mock, test } from "node:test";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { changed, put, rules } from "../../../test/changed-manifest.ts";
import { breakRule, mutations } from "../../../test/manifest-mutations.ts";
import { checkManifest } from "./check-manifest.ts";
import { Violations } from "./violations.ts";

/** Fields without a rule of their own. Every value of their type is accepted. */
const freeFields = new Set([
  "irreversible_migration",
  "web_app.ui.ssr",
  "web_app.ui.navigation.metadata",
  "web_app.api.strip_base_path",
  "web_app.api.routes.is_public",
  "required_permissions.resource_type",
  "required_permissions.requires_approval",
  "settings.definitions.description",
  "settings.definitions.sensitive",
  // Reported at `min`.
  "settings.definitions.validation.max",
  "settings.definitions.ui_hints.placeholder",
  "settings.definitions.ui_hints.help_text",
  "settings.definitions.ui_hints.multiline",
  "settings.definitions.ui_hints.step",
  "settings.definitions.ui_hints.options.label",
  "settings.definitions.ui_hints.options.value",
]);
/** Fields whose rules are those of the activity service (testing/contract/activities.test.ts). */
const fieldsOfActivities = /^activities\.(?:singleton_key|schedule\..*)$/;

const sources = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "violations.ts")
  .map((file) => ({ file, text: readFileSync(join(import.meta.dirname, file), "utf8") }));

describe("every rule of the manifest", () => {
  /** File, line and column of each check that has reported a violation. */
  const reported = new Set<string>();
  const { add } = Violations.prototype;
  mock.method(Violations.prototype, "add", function recordAndAdd(this: Violations, field: string, message: string) {
    reported.add(callerOf(new Error().stack ?? ""));
    add.call(this, field, message);
  });

  for (const [rule, field, change] of mutations) {
    test(`${rule}: ${field}`, () => {
      const { violations } = checkManifest(
        changed((manifest) => breakRule(manifest, field, change)),
        rules,
      );
      assert.deepEqual(
        violations.map((violation) => violation.field),
        [field],
        JSON.stringify(violations),
      );
    });
  }

  test("no check of the source is without a mutation", () => {
    assert.deepEqual(
      sources.flatMap(({ file, text }) => checksOf(file, text)).filter((check) => !reported.has(check)),
      [],
    );
  });

  test("every check of the source is found", () => {
    const twice = "violations.check(a, b, c) && violations.none(d, e);\nviolations\n  .add(f, g);";
    assert.deepEqual(checksOf("x.ts", twice), ["x.ts:1:12", "x.ts:1:41", "x.ts:3:4"]);
    const hidden = [
      "(found: Violations) => found.add(a, b)",
      "const found = new Violations();",
      "const { add } = violations;",
      "const found = violations;",
      "each(violations.add)",
      'violations["add"](a, b)',
    ];
    assert.deepEqual(
      hidden.filter((text) => hiddenUses(text).length !== 1),
      [],
    );
    assert.deepEqual(
      sources.flatMap(({ file, text }) => hiddenUses(text).map((use) => `${file}: ${use}`)),
      [],
    );
  });

  test("no field of the message is without a mutation or a reason", () => {
    const withRow = new Set(mutations.map(([, field]) => plain(field)));
    const expected = fieldsOf(AppManifestSchema).filter((field) => !freeFields.has(field) && !fieldsOfActivities.test(field));
    assert.deepEqual(
      expected.filter((field) => !withRow.has(field)),
      [],
    );
  });

  test("ten mistakes are ten violations", () => {
    const mistakes = {
      name: "Upper",
      version: "1",
      "web_app.assets[1].mime_type": "application/x-sh",
      "web_app.ui.route_base": "/graphql",
      "web_app.api.timeout_ms": 0,
      "web_app.api.routes[0].methods[0]": "get",
      "required_permissions[0].scope": "?",
      "dependencies[0].kind": 0,
      "settings.definitions[1].key": "?",
      "hooks[0].path": "?",
    };
    const { violations } = checkManifest(
      changed((manifest) => {
        for (const [field, value] of Object.entries(mistakes)) put(manifest, field, value);
      }),
      rules,
    );
    assert.deepEqual(violations.map(({ field }) => field).sort(), Object.keys(mistakes).sort());
  });
});

/** Returns file, line and column of the first caller outside `violations.ts` and this file. */
function callerOf(stack: string): string {
  const frames = [...stack.matchAll(/([\w.-]+\.ts):(\d+):(\d+)/g)].map(([, ...place]) => place);
  const caller = frames.find(([file]) => file !== "violations.ts" && !file?.endsWith(".test.ts"));
  return caller?.join(":") ?? "";
}

/** Returns file, line and column of the calls that may report a violation. */
function checksOf(file: string, text: string): readonly string[] {
  return [...text.matchAll(/\bviolations\s*\??\.\s*(?=(?:add|check|none)\s*\()/g)].map((call) => {
    const before = text.slice(0, call.index + call[0].length).split("\n");
    return `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  });
}

/** Returns the uses of violations whose calls `checksOf` does not find: another name, or no direct call. */
function hiddenUses(text: string): readonly string[] {
  const uses = [
    /\b(?!violations\b)\w+\??\s*(?::\s*|=\s*new\s+)Violations\b/g,
    /=\s*violations\b(?!\s*\??\.)/g,
    /\bviolations\s*\??\.\s*(?:add|check|none)\b(?!\s*\()/g,
    /\bviolations\s*(?:\?\.)?\[/g,
  ];
  return uses.flatMap((use) => text.match(use) ?? []);
}

/** Returns the path without the indexes of lists. */
function plain(field: string): string {
  const inEntries = field.replaceAll(/\[\d+\]/g, "").replaceAll(/(?:\.children)+/g, "");
  return inEntries.replace(/^translations\.\w+\./, "translations.");
}

/** Returns the paths of all fields that are no messages, each message once on the way down. */
function fieldsOf(message: DescMessage, above: readonly DescMessage[] = []): readonly string[] {
  const own = (field: DescField): readonly string[] => {
    const inner = field.message;
    if (!inner) return [field.name];
    if (inner === message || above.includes(inner)) return [];
    return fieldsOf(inner, [...above, message]).map((name) => `${field.name}.${name}`);
  };
  return message.fields.flatMap(own);
}
