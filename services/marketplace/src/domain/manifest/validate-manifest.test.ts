import assert from "node:assert/strict";
import test from "node:test";
import { RateLimitSchema } from "@appserver/contracts/proto/appserver/v2/api";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import {
  type AppManifest,
  AppManifestSchema,
  AssetSchema,
  WebAppSchema,
} from "@appserver/contracts/proto/appserver/v2/manifest";
import { SettingDataType } from "@appserver/contracts/proto/appserver/v2/settings";
import { NavigationRouteSchema, UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import { create } from "@bufbuild/protobuf";
import { around, makeCertificate, withUnknownKey } from "../../../test/certificates.ts";
import { changed, fieldsOf, put, required, rules, webApp } from "../../../test/changed-manifest.ts";
import { asset, identity, now, validManifest } from "../../../test/complete-manifest.ts";
import { validateManifest } from "./validate-manifest.ts";

test("a manifest that uses every field and follows every rule passes", () => {
  const { violations, warnings, certificate } = validateManifest(validManifest(), rules);
  assert.deepEqual([violations, warnings], [[], []]);
  assert.match(certificate?.keyFingerprint ?? "", /^[0-9a-f]{64}$/);
});

const expired = await makeCertificate("rsa-2048", new Date(now - 20_000), new Date(now - 10_000));
const future = await makeCertificate("rsa-2048", new Date(now + 10_000), new Date(now + 20_000));
const short = await makeCertificate("rsa-1024", ...around(now));
const otherCurve = await makeCertificate("p-384", ...around(now));
const stranger = await makeCertificate("rsa-2048", ...around(now));

/** Breaks only the certificate. Removes the frontend, because its signatures would not verify. */
function withCertificate(certificate: Uint8Array<ArrayBuffer>) {
  return (manifest: AppManifest): void => {
    manifest.certificate = certificate;
    manifest.webApp = create(WebAppSchema, { api: required(webApp(manifest).api) });
  };
}

function manyAssets(count: number) {
  return Array.from({ length: count }, (_, index) => create(AssetSchema, asset(`chunk-${index}.js`, "x")));
}

/** One broken rule per row: the field path that must be reported, and the invalid value or the change that breaks the rule. */
const table: readonly (readonly [rule: string, field: string, broken: unknown])[] = [
  ["name in upper case", "name", "Com.example.notes"],
  ["name with two separators", "name", "com..notes"],
  ["name of the platform", "name", "app"],
  ["name with the platform's prefix", "name", "app.acme.todo"],
  ["name too long", "name", "n".repeat(64)],
  ["version with a v", "version", "v1.2.3"],
  ["version of two parts", "version", "1.2"],
  ["display name too long", "display_name", "x".repeat(101)],
  ["newer platform needed", "min_platform_version", "1.4.1"],
  ["no platform version", "min_platform_version", "latest"],
  ["no certificate", "certificate", new Uint8Array()],
  ["certificate of noise", "certificate", new Uint8Array(Buffer.from("no certificate"))],
  ["certificate with an unknown key", "certificate", withCertificate(withUnknownKey(identity))],
  ["certificate expired", "certificate", withCertificate(expired.certificate)],
  ["certificate not yet valid", "certificate", withCertificate(future.certificate)],
  ["RSA key too short", "certificate", withCertificate(short.certificate)],
  ["EC key on another curve", "certificate", withCertificate(otherCurve.certificate)],

  ["neither ui nor api", "web_app", create(WebAppSchema)],
  ["asset name climbs", "web_app.assets[1].name", "../logo.svg"],
  ["asset name twice", "web_app.assets[1].name", "remote-entry.js"],
  ["asset type", "web_app.assets[1].mime_type", "text/plain"],
  ["asset hash", "web_app.assets[0].sha256", "0".repeat(64)],
  ["asset unsigned", "web_app.assets[0].signature", new Uint8Array()],
  ["asset signed by another key", "web_app.assets[0].signature", asset("a", "export default 1", stranger.privateKey).signature],
  ["too many assets", "web_app.assets", (m: AppManifest) => webApp(m).assets.push(...manyAssets(999))],

  ["mode not given", "web_app.ui.mode", UIMode.UI_MODE_UNSPECIFIED],
  ["entry asset missing", "web_app.ui.entry_asset_name", "gone.js"],
  ["entry asset is a picture", "web_app.ui.entry_asset_name", "img/logo.svg"],
  [
    "exposed module of a web component",
    "web_app.ui.exposed_module",
    (m: AppManifest) => put(m, "web_app.ui.mode", UIMode.UI_MODE_WEB_COMPONENT),
  ],
  ["route base without slash", "web_app.ui.route_base", "notes"],
  ["route base of the platform", "web_app.ui.route_base", "/graphql/x"],
  ["root as route base", "web_app.ui.route_base", "/"],
  ["navigation without title", "web_app.ui.navigation[0].title", ""],
  ["navigation title too long", "web_app.ui.navigation[0].title", "x".repeat(101)],
  ["navigation to another site", "web_app.ui.navigation[0].href", "//example.com"],
  ["navigation permission", "web_app.ui.navigation[0].required_permissions[0]", "notes"],
  ["navigation below", "web_app.ui.navigation[0].children[0].children[0].href", "edit"],
  [
    "navigation on a fourth level",
    "web_app.ui.navigation[0].children[0].children[0].children",
    [create(NavigationRouteSchema)],
  ],

  ["base path without slash", "web_app.api.base_path", "notes"],
  ["base path of another app", "web_app.api.base_path", "/api/apps/com.example.other"],
  ["base path that climbs", "web_app.api.base_path", "/a/../b"],
  ["upstream with user info", "web_app.api.upstream_base_url", "http://me:secret@host"],
  ["upstream of another scheme", "web_app.api.upstream_base_url", "file:///etc/passwd"],
  ["no upstream", "web_app.api.upstream_base_url", ""],
  ["timeout of zero", "web_app.api.timeout_ms", 0],
  ["header in upper case", "web_app.api.forward_headers[0]", "Accept-Language"],
  ["api permission", "web_app.api.required_permissions[0]", "notes.read"],
  ["rate of zero", "web_app.api.default_rate_limit.rpm", 0],
  [
    "both forms of a rate",
    "web_app.api.default_rate_limit",
    create(RateLimitSchema, { rpm: 1, requests: 1, windowSeconds: 1 }),
  ],
  ["a rate without a number", "web_app.api.default_rate_limit", create(RateLimitSchema)],
  ["requests without a window", "web_app.api.default_rate_limit", create(RateLimitSchema, { requests: 1 })],
  ["health path", "web_app.api.health_check.path", "health"],
  ["health interval", "web_app.api.health_check.interval_seconds", 0],
  ["health timeout", "web_app.api.health_check.timeout_ms", -1],
  ["health threshold", "web_app.api.health_check.unhealthy_threshold", 0],
  ["openapi url", "web_app.api.openapi_url", "ftp://host/openapi.json"],
  ["body limit", "web_app.api.max_body_bytes", 0n],
  ["no pattern", "web_app.api.routes[0].pattern", ""],
  ["pattern with ** inside", "web_app.api.routes[0].pattern", "/a/**/b"],
  ["pattern with look-ahead", "web_app.api.routes[0].pattern", "regex:^/(?=a)"],
  ["pattern that is not a valid regex", "web_app.api.routes[0].pattern", "regex:("],
  ["pattern and another path", "web_app.api.routes[0].path", "/other"],
  ["no method", "web_app.api.routes[0].methods", []],
  ["method in lower case", "web_app.api.routes[0].methods[1]", "post"],
  ["method CONNECT", "web_app.api.routes[0].methods[0]", "CONNECT"],
  ["route scope", "web_app.api.routes[0].scopes[0]", ":read"],
  ["route permission of the other form", "web_app.api.routes[1].required_permissions[0]", "read"],
  ["route timeout", "web_app.api.routes[0].timeout_ms", -1],
  ["route rate", "web_app.api.routes[0].rate_limit.rpm", -1],
  ["route window", "web_app.api.routes[3].rate_limit.window_seconds", 0],
  ["route rate key", "web_app.api.routes[3].rate_limit.key_pattern", "cookie"],

  ["permission scope", "required_permissions[0].scope", "read"],
  ["permission that the model refuses", "required_permissions[0].scope", "notes:read__all"],
  ["route permission that the model refuses", "web_app.api.required_permissions[0]", "notes:read__all"],
  ["navigation permission that the model refuses", "web_app.ui.navigation[0].required_permissions[0]", "notes:read_"],
  [
    "permission twice",
    "required_permissions[1].scope",
    (m: AppManifest) => m.requiredPermissions.push(required(m.requiredPermissions[0])),
  ],
  ["dependency name", "dependencies[0].app_name", "Clock"],
  ["dependency on itself", "dependencies[0].app_name", "com.example.notes"],
  ["dependency twice", "dependencies[1].app_name", (m: AppManifest) => m.dependencies.push(required(m.dependencies[0]))],
  ["dependency kind", "dependencies[0].kind", DependencyKind.UNSPECIFIED],
  ["dependency constraint", "dependencies[0].version_constraint", "1.x || 2.x"],

  ["setting key", "settings.definitions[1].key", "1st"],
  ["setting key twice", "settings.definitions[1].key", "page.size"],
  ["setting type not given", "settings.definitions[0].data_type", SettingDataType.UNSPECIFIED],
  ["setting type unknown", "settings.definitions[0].data_type", 99],
  ["required against its type", "settings.definitions[0].required", false],
  ["optional type and required", "settings.definitions[1].required", true],
  [
    "secret in the manifest",
    "settings.definitions[0].default_value",
    (manifest: AppManifest) => put(manifest, "settings.definitions[0].sensitive", true),
  ],
  ["default is no JSON", "settings.definitions[0].default_value", "{"],
  ["default of another type", "settings.definitions[0].default_value", '"20"'],
  ["default out of range", "settings.definitions[0].default_value", "101"],
  ["default too long", "settings.definitions[1].default_value", '"abcdef"'],
  ["default breaks the pattern", "settings.definitions[1].default_value", '"A"'],
  ["pair without value", "settings.definitions[2].default_value", '[{"key":"a"}]'],
  ["min above max", "settings.definitions[0].validation.min", 101],
  ["lengths crossed", "settings.definitions[1].validation.max_length", 0],
  ["setting pattern", "settings.definitions[1].validation.pattern", "("],
  ["input type", "settings.definitions[0].ui_hints.input_type", "slider"],

  ["hook name", "hooks[0].hook_name", "On Create"],
  ["hook path", "hooks[0].path", "hooks"],
  ["activity name", "activities[0].name", "Export"],
  ["activity twice", "activities[1].name", (m: AppManifest) => m.activities.push(required(m.activities[0]))],
  ["activity timeout", "activities[0].timeout_ms", 0],
  ["activity retries", "activities[0].max_retries", -1],
  ["activity concurrency", "activities[0].concurrency", 0],
  ["activity input schema", "activities[0].input_schema", "[]"],
];

function breakRule(manifest: AppManifest, field: string, change: unknown): void {
  if (typeof change === "function") change(manifest);
  else put(manifest, field, change);
}

for (const [rule, field, change] of table) {
  test(`${rule}: ${field}`, () => {
    const { violations } = validateManifest(
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

test("all violations are reported at once", () => {
  const fields = ["version", "dependencies[0].kind", "hooks[0].path", "web_app.api.timeout_ms", "settings.definitions[1].key"];
  const { violations } = validateManifest(
    changed((manifest) => {
      for (const field of fields) put(manifest, field, field === "dependencies[0].kind" ? 0 : field.endsWith("_ms") ? 0 : "?");
    }),
    rules,
  );
  assert.deepEqual(violations.map(({ field }) => field).sort(), fields.sort());
});

test("an empty manifest reports every required field", () => {
  const { violations } = validateManifest(create(AppManifestSchema), rules);
  assert.deepEqual(
    violations.map(({ field }) => field),
    ["name", "version", "certificate", "web_app"],
  );
});

test("a link outside the app's own routes is a warning", () => {
  const field = "web_app.ui.navigation[0].href";
  const { violations, warnings } = validateManifest(
    changed((manifest) => put(manifest, field, "/elsewhere")),
    rules,
  );
  assert.deepEqual([violations, warnings.map((warning) => warning.field)], [[], [field]]);
});

test("a base path may be absolute if it is under the app's own path", () => {
  const { violations } = validateManifest(
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
    assert.deepEqual(validateManifest(manifest, rules).violations, [], kind);
    signed.signature = signed.signature.map((byte, index) => (index === signed.signature.length - 1 ? byte ^ 1 : byte));
    assert.deepEqual(
      validateManifest(manifest, rules).violations.map(({ field }) => field),
      ["web_app.assets[0].signature"],
      kind,
    );
  }
});

test("unsigned assets pass if they are allowed", () => {
  const unsigned = changed((manifest) => put(manifest, "web_app.assets[0].signature", new Uint8Array()));
  assert.deepEqual(validateManifest(unsigned, { ...rules, allowUnsigned: true }).violations, []);
});

test("titles and names are counted in characters, not in code units", () => {
  const manifest = changed((valid) => {
    put(valid, "web_app.ui.navigation[0].title", "🗒".repeat(100));
    put(valid, "display_name", "🗒".repeat(100));
  });
  assert.deepEqual(validateManifest(manifest, rules).violations, []);
});

test("a hook name may contain an app name of the maximum length", () => {
  const manifest = changed((valid) => put(valid, "hooks[0].hook_name", `${"n".repeat(63)}.note_created`));
  assert.deepEqual(validateManifest(manifest, rules).violations, []);
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
    ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "//host/a", "vbscript:x", "x"],
  ],
  ["web_app.ui.navigation[0].href", ["/\\host", "/\t/host", "//host", "x"]],
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
      "/a.svg",
      "https://h/a.png",
      "data:image/png;base64,AA==",
    ],
  ],
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

test("two hooks with the same name are refused", () => {
  const twice = fieldsOf((valid) => valid.hooks.push(required(valid.hooks[0])));
  assert.deepEqual(twice, [`hooks[${validManifest().hooks.length}].hook_name`]);
});
