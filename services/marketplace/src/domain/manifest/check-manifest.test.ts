import assert from "node:assert/strict";
import test from "node:test";
import { AppManifestSchema, AssetSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { create } from "@bufbuild/protobuf";
import { around, makeCertificate } from "../../../test/certificates.ts";
import { changed, fieldsOf, put, rules, webApp } from "../../../test/changed-manifest.ts";
import { asset, now, validManifest } from "../../../test/complete-manifest.ts";
import { checkManifest } from "./check-manifest.ts";

test("a manifest that uses every field and follows every rule passes", () => {
  const { violations, warnings, certificate } = checkManifest(validManifest(), rules);
  assert.deepEqual([violations, warnings], [[], []]);
  assert.match(certificate?.keyFingerprint ?? "", /^[0-9a-f]{64}$/);
});

test("an empty manifest reports every required field", () => {
  const { violations } = checkManifest(create(AppManifestSchema), rules);
  assert.deepEqual(
    violations.map(({ field }) => field),
    ["name", "version", "certificate", "web_app"],
  );
});

test("a link outside the app's own routes is a warning", () => {
  const field = "web_app.ui.navigation[0].href";
  const { violations, warnings } = checkManifest(
    changed((manifest) => put(manifest, field, "/elsewhere")),
    rules,
  );
  assert.deepEqual([violations, warnings.map((warning) => warning.field)], [[], [field]]);
});

test("an invalid digest is reported with what was expected", () => {
  const { violations } = checkManifest(
    changed((manifest) => put(manifest, "image_digest", "registry.example.com/notes:1.0")),
    rules,
  );
  const message = 'must be sha256: and 64 lower-case hex digits, got "registry.example.com/notes:1.0"';
  assert.deepEqual(violations, [{ field: "image_digest", message }]);
});

test("replicas and a digest without a container, and an image stage together with a digest, are warnings", () => {
  const { violations, warnings } = checkManifest(
    changed((manifest) => {
      put(manifest, "web_app.api.upstream_base_url", "https://notes.example.com");
      put(manifest, "web_app.ui.ssr", false);
      put(manifest, "storage", []);
      put(manifest, "settings.definitions[1].key", "docker.image.stage");
      put(manifest, "settings.definitions[1].default_value", undefined);
    }),
    rules,
  );
  assert.deepEqual(
    [violations, warnings.map(({ field }) => field)],
    [[], ["replicas", "image_digest", "settings.definitions[1]"]],
  );
});

test("a base path may be absolute if it is under the app's own path", () => {
  const { violations } = checkManifest(
    changed((manifest) => put(manifest, "web_app.api.base_path", "/api/apps/com.example.notes/v1")),
    rules,
  );
  assert.deepEqual(violations, []);
});

test("assets signed by RSA, P-256 and Ed25519 keys are accepted", async () => {
  const digests = { "rsa-2048": "sha256", "p-256": "sha256", ed25519: null } as const;
  for (const kind of Object.keys(digests) as (keyof typeof digests)[]) {
    const own = await makeCertificate(kind, ...around(now));
    const signed = create(AssetSchema, asset("remote-entry.js", kind, own.privateKey, digests[kind]));
    const manifest = changed((valid) => {
      valid.certificate = own.certificate;
      webApp(valid).assets = [signed];
    });
    assert.deepEqual(checkManifest(manifest, rules).violations, [], kind);
    signed.signature = signed.signature.map((byte, index) => (index === signed.signature.length - 1 ? byte ^ 1 : byte));
    assert.deepEqual(
      checkManifest(manifest, rules).violations.map(({ field }) => field),
      ["web_app.assets[0].signature"],
      kind,
    );
  }
});

test("unsigned assets pass if they are allowed", () => {
  const unsigned = changed((manifest) => put(manifest, "web_app.assets[0].signature", new Uint8Array()));
  assert.deepEqual(checkManifest(unsigned, { ...rules, allowUnsigned: true }).violations, []);
});

test("titles and names are counted in characters, not in code units", () => {
  const manifest = changed((valid) => {
    put(valid, "web_app.ui.navigation[0].title", "🗒".repeat(100));
    put(valid, "display_name", "🗒".repeat(100));
  });
  assert.deepEqual(checkManifest(manifest, rules).violations, []);
});

test("a hook name may contain an app name of the maximum length", () => {
  const manifest = changed((valid) => put(valid, "hooks[0].hook_name", `${"n".repeat(63)}.note_created`));
  assert.deepEqual(checkManifest(manifest, rules).violations, []);
});

for (const [field, values] of [
  [
    "web_app.api.health_check.path",
    ["//other/x", "/../x", "/a/%2e%2e/b", "/a\\b", "/a//b", "/a\u0001", "/http://127.0.0.1:9/x", "x"],
  ],
  ["hooks[0].path", ["//other/x", "/../x", "/a/%2e%2e/b", "/a\\b", "/a//b", "/\ta", "/a#b"]],
  [
    "web_app.api.upstream_base_url",
    ["http:foo.com", "http:\\\\foo.com\\", "http://foo.com/../a", "http://0x7f.1", "http://FOO.com"],
  ],
  ["web_app.api.openapi_url", ["//host/a", "/a\nb", "javascript:alert(1)", "http:host", "/../a"]],
  [
    "web_app.ui.navigation[0].icon",
    [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "data:text/html,x",
      "data:image/tiff;base64,AA==",
      "//host/a",
      "vbscript:x",
      "x",
      "https://h/a.png",
      "/a.svg",
      "/apps/com.example.notes/assets/gone.svg",
      "/apps/com.example.notes/assets/remote-entry.js",
      "/apps/com.example.notes/assets/../../com.example.other/assets/logo.svg",
      "/apps/com.example.other/assets/img/logo.svg",
      "/api/apps/com.example.other/v1/icon.svg",
      "/api/apps/com.example.notes/../com.example.other/x",
      "/console/sign-out",
    ],
  ],
  [
    "web_app.ui.navigation[0].href",
    [
      "/\\host",
      "/\t/host",
      "//host",
      "x",
      "/console/access",
      "/Console",
      "/%63onsole/x",
      "/\u217donsole",
      "/login?a",
      "/api/apps/x",
    ],
  ],
  [
    "web_app.ui.route_base",
    [
      ...["/Notes", "/%63onsole", "/\u217donsole", "/caf\u00e9", "/a//b", "/a/./b", "/.hidden", "/a b", "/a/:id", "/notes//"],
      ...["/pypi", "/.well-known", "/.well-known/x", "/favicon.ico", "/robots.txt", "/console", "/self-service/x", "/apps"],
    ],
  ],
  ["display_name", ["a\u0000b", "a\ud800", "a\nb", "\u202egpj"]],
  ["settings.definitions[0].description", ["a\u0000b", "\udfff"]],
  ["hooks[0].path", ["/a\u0000"]],
  ["web_app.ui.navigation[0].title", ["a\u0007"]],
] as const) {
  test(`${field} is refused if it leads elsewhere or cannot be stored`, () => {
    for (const value of values)
      assert.deepEqual(
        fieldsOf((valid) => put(valid, field, value)),
        [field],
        JSON.stringify(value),
      );
  });
}

for (const [field, values] of [
  ["web_app.api.health_check.path", ["/", "/health", "/a/b?deep=1&x=%20", "/caf\u00e9"]],
  ["hooks[0].path", ["", "/hooks/note-created", "/hooks/"]],
  ["web_app.api.upstream_base_url", ["http://h", "https://h:8443/base", "http://127.0.0.1:9/", "http://[::1]:9"]],
  ["web_app.api.openapi_url", ["", "/openapi.json", "https://h/o?v=3"]],
  [
    "web_app.ui.navigation[0].icon",
    [
      "",
      "<svg/>",
      '<?xml version="1.0"?><!-- a --><svg xmlns="x"></svg>',
      "/apps/com.example.notes/assets/img/logo.svg",
      "/apps/com.example.notes/assets/img/logo.svg?v=2",
      "/api/apps/com.example.notes/icons/1.png",
      "data:image/png;base64,AA==",
      "data:image/svg+xml,%3Csvg/%3E",
    ],
  ],
  ["web_app.ui.route_base", ["/notes", "/team/board-2", "/a_b/c.d~e/", "/consoles"]],
  ["web_app.ui.navigation[0].href", ["/notes/:id", "/notes?tab=1#x", "/notes/console"]],
  ["settings.definitions[0].description", ["two\nlines"]],
] as const) {
  test(`${field} accepts each of its forms`, () => {
    for (const value of values)
      assert.deepEqual(
        fieldsOf((valid) => put(valid, field, value)),
        [],
        JSON.stringify(value),
      );
  });
}
