import { RateLimitSchema } from "@appserver/contracts/proto/appserver/v2/api";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import {
  ActivityDefinitionSchema,
  ActivityRecurrenceSchema,
  type AppManifest,
  AssetSchema,
  UpgradeStrategy,
  WebAppSchema,
} from "@appserver/contracts/proto/appserver/v2/manifest";
import { SettingDataType } from "@appserver/contracts/proto/appserver/v2/settings";
import { NavigationRouteSchema, UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { around, makeCertificate, withUnknownKey } from "./certificates.ts";
import { put, required, webApp } from "./changed-manifest.ts";
import { asset, identity, now } from "./complete-manifest.ts";

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

function replaceAsset(manifest: AppManifest, size: number): void {
  webApp(manifest).assets[0] = create(AssetSchema, asset("remote-entry.js", "x".repeat(size)));
}

function largeAssets(count: number, size: number) {
  const large = asset("large.js", "x".repeat(size));
  return Array.from({ length: count }, (_, index) => create(AssetSchema, { ...large, name: `large-${index}.js` }));
}

function manyAssets(count: number) {
  return Array.from({ length: count }, (_, index) => create(AssetSchema, asset(`chunk-${index}.js`, "x")));
}

const many = <T>(count: number, part: T): T[] => Array.from({ length: count }, () => part);
const setting = (more: object) => (manifest: AppManifest) => Object.assign(required(manifest.settings?.definitions[1]), more);

const defaultRate = (limit: MessageInitShape<typeof RateLimitSchema>) => (manifest: AppManifest) =>
  put(manifest, "web_app.api.default_rate_limit", create(RateLimitSchema, limit));

/** One broken rule per row: the field path that must be reported, and the invalid value or the change that breaks the rule. */
export const mutations: readonly (readonly [rule: string, field: string, broken: unknown])[] = [
  ["name in upper case", "name", "Com.example.notes"],
  ["name with two separators", "name", "com..notes"],
  ["name of the platform", "name", "app"],
  ["name with the platform's prefix", "name", "app.acme.todo"],
  ["name too long", "name", "n".repeat(64)],
  ["version with a v", "version", "v1.2.3"],
  ["version of two parts", "version", "1.2"],
  ["display name too long", "display_name", "x".repeat(101)],
  ["description too long", "description", "x".repeat(121)],
  ["language by its name", "translations", { german: {} }],
  [
    "too many languages",
    "translations",
    Object.fromEntries(
      many(31, 0).map((_, index) => [`x${String.fromCharCode(97 + (index % 26), 97 + Math.floor(index / 26))}`, {}]),
    ),
  ],
  ["translated name too long", "translations.de.display_name", "x".repeat(101)],
  ["translated description of two lines", "translations.de.description", "a\nb"],
  [
    "too many translated titles",
    "translations.de.titles",
    Object.fromEntries(many(501, "Titel").map((text, index) => [index, text])),
  ],
  ["translated title without text", "translations.de.titles", { Notes: "" }],
  ["description of two lines", "description", "a\nb"],
  ["newer platform needed", "min_platform_version", "1.4.1"],
  ["no platform version", "min_platform_version", "latest"],
  ["no certificate", "certificate", new Uint8Array()],
  ["certificate of noise", "certificate", new Uint8Array(Buffer.from("no certificate"))],
  ["certificate with an unknown key", "certificate", withCertificate(withUnknownKey(identity))],
  ["certificate expired", "certificate", withCertificate(expired.certificate)],
  ["certificate not yet valid", "certificate", withCertificate(future.certificate)],
  ["RSA key too short", "certificate", withCertificate(short.certificate)],
  ["EC key on another curve", "certificate", withCertificate(otherCurve.certificate)],

  ["unknown upgrade strategy", "upgrade", 9 as UpgradeStrategy],
  ["control character in a text of one line", "required_permissions[0].reason", "a\u0000b"],
  [
    "texts too long together",
    "manifest",
    (m: AppManifest) => put(m, "settings.definitions[0].description", "a".repeat(2 ** 21)),
  ],

  ["no web app", "web_app", undefined],
  ["neither ui nor api", "web_app", create(WebAppSchema)],
  ["asset name climbs", "web_app.assets[1].name", "../logo.svg"],
  ["asset name twice", "web_app.assets[1].name", "remote-entry.js"],
  ["asset type", "web_app.assets[1].mime_type", "application/x-sh"],
  ["asset hash", "web_app.assets[0].sha256", "0".repeat(64)],
  ["asset unsigned", "web_app.assets[0].signature", new Uint8Array()],
  ["asset signed by another key", "web_app.assets[0].signature", asset("a", "export default 1", stranger.privateKey).signature],
  ["asset too large", "web_app.assets[0].contents", (m: AppManifest) => replaceAsset(m, 16 * 1024 * 1024 + 1)],
  [
    "assets too large together",
    "web_app.assets",
    (m: AppManifest) => webApp(m).assets.push(...largeAssets(4, 16 * 1024 * 1024)),
  ],
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
  ["navigation to a page of the platform", "web_app.ui.navigation[0].href", "/console/access"],
  ["navigation icon that runs", "web_app.ui.navigation[0].icon", "javascript:alert(1)"],
  ["navigation icon too long", "web_app.ui.navigation[0].icon", `<svg>${"x".repeat(65_536)}</svg>`],
  [
    "too many entries",
    "web_app.ui.navigation",
    (m: AppManifest) => put(m, "web_app.ui.navigation", many(501, webApp(m).ui?.navigation[0])),
  ],
  [
    "too many permissions of an entry",
    'web_app.ui.navigation, entry "Notes": required_permissions',
    (m: AppManifest) => put(m, "web_app.ui.navigation[0].required_permissions", many(51, "notes:read")),
  ],
  [
    "too many metadata of an entry",
    'web_app.ui.navigation, entry "Notes": metadata',
    (m: AppManifest) =>
      put(m, "web_app.ui.navigation[0].metadata", Object.fromEntries(many(51, "a").map((key, i) => [key + i, key]))),
  ],
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
  ["upstream too long", "web_app.api.upstream_base_url", `http://h/${"a".repeat(2_048)}`],
  ["no upstream", "web_app.api.upstream_base_url", ""],
  ["timeout of zero", "web_app.api.timeout_ms", 0],
  ["timeout too long", "web_app.api.timeout_ms", 600_001],
  ["too many headers", "web_app.api.forward_headers", many(101, "x-a")],
  ["too many api permissions", "web_app.api.required_permissions", many(51, "notes:read")],
  [
    "too many routes",
    "web_app.api.routes",
    (m: AppManifest) => put(m, "web_app.api.routes", many(1_001, webApp(m).api?.routes[0])),
  ],
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
  ["burst of zero", "web_app.api.default_rate_limit.burst", 0],
  ["burst of a route of zero", "web_app.api.routes[0].rate_limit.burst", 0],
  ["default requests of zero", "web_app.api.default_rate_limit.requests", defaultRate({ requests: 0, windowSeconds: 1 })],
  ["default window of zero", "web_app.api.default_rate_limit.window_seconds", defaultRate({ requests: 1, windowSeconds: 0 })],
  ["default rate key", "web_app.api.default_rate_limit.key_pattern", defaultRate({ rpm: 1, keyPattern: "cookie" })],
  ["requests of zero", "web_app.api.routes[3].rate_limit.requests", 0],
  ["health path", "web_app.api.health_check.path", "health"],
  ["health interval", "web_app.api.health_check.interval_seconds", 0],
  ["health timeout", "web_app.api.health_check.timeout_ms", -1],
  ["health threshold", "web_app.api.health_check.unhealthy_threshold", 0],
  ["openapi url", "web_app.api.openapi_url", "ftp://host/openapi.json"],
  ["openapi url too long", "web_app.api.openapi_url", `/${"a".repeat(2_048)}`],
  [
    "expressions over the budget",
    "web_app.api.routes[3].pattern",
    (m: AppManifest) => {
      for (const index of [0, 2, 3]) put(m, `web_app.api.routes[${index}].pattern`, "regex:/(a{90}){5}");
    },
  ],
  ["expression too large", "web_app.api.routes[0].pattern", "regex:/(a{100}){90}"],
  ["body limit", "web_app.api.max_body_bytes", 0n],
  ["no pattern", "web_app.api.routes[0].pattern", ""],
  ["pattern with ** inside", "web_app.api.routes[0].pattern", "/a/**/b"],
  ["pattern with look-ahead", "web_app.api.routes[0].pattern", "regex:^/(?=a)"],
  ["pattern that is not a valid regex", "web_app.api.routes[0].pattern", "regex:("],
  ["pattern and another path", "web_app.api.routes[0].path", "/other"],
  ["no method", "web_app.api.routes[0].methods", []],
  ["too many methods", "web_app.api.routes[0].methods", many(21, "GET")],
  ["too many scopes", "web_app.api.routes[0].scopes", many(51, "notes:read")],
  ["too many route permissions", "web_app.api.routes[0].required_permissions", many(51, "notes:read")],
  ["method in lower case", "web_app.api.routes[0].methods[1]", "post"],
  ["method CONNECT", "web_app.api.routes[0].methods[0]", "CONNECT"],
  ["route scope", "web_app.api.routes[0].scopes[0]", ":read"],
  ["route permission of the other form", "web_app.api.routes[1].required_permissions[0]", "read"],
  ["route timeout", "web_app.api.routes[0].timeout_ms", -1],
  ["route rate", "web_app.api.routes[0].rate_limit.rpm", -1],
  ["route window", "web_app.api.routes[3].rate_limit.window_seconds", 0],
  ["route rate key", "web_app.api.routes[3].rate_limit.key_pattern", "cookie"],

  [
    "too many required permissions",
    "required_permissions",
    (m: AppManifest) => put(m, "required_permissions", many(201, m.requiredPermissions[0])),
  ],
  ["permission scope", "required_permissions[0].scope", "read"],
  ["permission that the model refuses", "required_permissions[0].scope", "notes:read__all"],
  ["route permission that the model refuses", "web_app.api.required_permissions[0]", "notes:read__all"],
  ["navigation permission that the model refuses", "web_app.ui.navigation[0].required_permissions[0]", "notes:read_"],
  [
    "permission twice",
    "required_permissions[1].scope",
    (m: AppManifest) => m.requiredPermissions.push(required(m.requiredPermissions[0])),
  ],
  ["too many dependencies", "dependencies", (m: AppManifest) => put(m, "dependencies", many(201, m.dependencies[0]))],
  ["dependency name", "dependencies[0].app_name", "Clock"],
  ["dependency on itself", "dependencies[0].app_name", "com.example.notes"],
  ["dependency twice", "dependencies[1].app_name", (m: AppManifest) => m.dependencies.push(required(m.dependencies[0]))],
  ["dependency kind", "dependencies[0].kind", DependencyKind.UNSPECIFIED],
  ["dependency constraint", "dependencies[0].version_constraint", "1.x || 2.x"],

  [
    "too many settings",
    "settings.definitions",
    (m: AppManifest) => put(m, "settings.definitions", many(501, m.settings?.definitions[0])),
  ],
  [
    "too many settings with a pattern",
    "settings.definitions",
    (m: AppManifest) => put(m, "settings.definitions", many(65, { ...m.settings?.definitions[1], env: undefined })),
  ],
  ["too many values", "settings.definitions[1].validation.enum", many(1_001, "a")],
  [
    "too many options",
    "settings.definitions[0].ui_hints.options",
    (m: AppManifest) => put(m, "settings.definitions[0].ui_hints.options", many(1_001, { label: "a", value: "a" })),
  ],
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
  ["default number that would change", "settings.definitions[0].default_value", "1e400"],
  ["default is no JSON", "settings.definitions[0].default_value", "{"],
  ["default of another type", "settings.definitions[0].default_value", '"20"'],
  ["default out of range", "settings.definitions[0].default_value", "101"],
  ["default too long", "settings.definitions[1].default_value", '"abcdef"'],
  ["default breaks the pattern", "settings.definitions[1].default_value", '"A"'],
  ["pair without value", "settings.definitions[2].default_value", '[{"key":"a"}]'],
  ["default none of the values", "settings.definitions[1].default_value", setting({ validation: { enum: ["a", "b"] } })],
  [
    "default against the platform's own rule",
    "settings.definitions[1].default_value",
    setting({ key: "docker.image.stage", defaultValue: '"nightly"', validation: undefined }),
  ],
  ["negative length", "settings.definitions[1].validation.min_length", -1],
  ["min above max", "settings.definitions[0].validation.min", 101],
  ["lengths crossed", "settings.definitions[1].validation.max_length", 0],
  ["setting pattern", "settings.definitions[1].validation.pattern", "("],
  ["input type", "settings.definitions[0].ui_hints.input_type", "slider"],

  [
    "too many settings with a variable",
    "settings.definitions: env",
    (m: AppManifest) => put(m, "settings.definitions", many(65, { ...m.settings?.definitions[0], env: "A" })),
  ],
  ["variable of a setting in lower case", "settings.definitions[1].env", "greeting"],
  ["variable of a setting without a name", "settings.definitions[1].env", ""],
  ["variable of a setting that the platform sets", "settings.definitions[1].env", "DB_HOST"],
  ["variable of a setting that is a constant", "settings.definitions[1].env", "LOG_LEVEL"],
  ["variable of two settings", "settings.definitions[2].env", "GREETING"],
  [
    "default too long for a variable",
    "settings.definitions[1].default_value",
    setting({ defaultValue: JSON.stringify("a".repeat(16_385)), validation: undefined }),
  ],
  ["too many variables", "environment", Object.fromEntries(many(101, "A").map((name, i) => [name + i, ""]))],
  ["variables too long together", "environment", { A: "a".repeat(65_536) }],
  ["variable with a hyphen", "environment", { "LOG-LEVEL": "info" }],
  ["variable of the platform", "environment.APPSERVER_X", (m: AppManifest) => put(m, "environment.APPSERVER_X", "a")],
  ["variable that changes the program", "environment.NODE_OPTIONS", (m: AppManifest) => put(m, "environment.NODE_OPTIONS", "")],
  ["variable with NUL", "environment.LOG_LEVEL", "a\u0000b"],

  ["user with a group name", "user", "1000:app"],
  ["root without its permission", "user", "root"],
  ["the group of root without its permission", "user", "1000:0"],
  ["image of a tag", "image_digest", "latest"],
  ["memory of zero", "resources.memory_mb", 0],
  ["CPU shares too high", "resources.cpu_shares", 262_145],
  ["processes of zero", "resources.pids", 0],
  ["no instance", "replicas.min", 0],
  ["too many instances", "replicas.max", 101],
  ["fewer instances at most than at least", "replicas.max", 1],
  ["processor use of zero", "replicas.cpu_percent", 0],
  ["processor use without a range", "replicas.cpu_percent", (m: AppManifest) => put(m, "replicas.max", 2)],
  ["several instances with storage of one", "replicas", (m: AppManifest) => put(m, "upgrade", UpgradeStrategy.REPLACE)],

  ["too many hooks", "hooks", (m: AppManifest) => put(m, "hooks", many(501, m.hooks[0]))],
  ["hook twice", "hooks[1].hook_name", (m: AppManifest) => m.hooks.push(required(m.hooks[0]))],
  ["hook name", "hooks[0].hook_name", "On Create"],
  ["hook path", "hooks[0].path", "hooks"],
  ["too many activities", "activities", (m: AppManifest) => put(m, "activities", many(201, m.activities[0]))],
  [
    "input schemas too long together",
    "activities",
    (m: AppManifest) => put(m, "activities", many(3, create(ActivityDefinitionSchema, { inputSchema: " ".repeat(60_000) }))),
  ],
  ["activity name", "activities[0].name", "Export"],
  ["activity twice", "activities[1].name", (m: AppManifest) => m.activities.push(required(m.activities[0]))],
  ["activity timeout", "activities[0].timeout_ms", 0],
  ["activity retries", "activities[0].max_retries", -1],
  ["activity concurrency", "activities[0].concurrency", 0],
  ["activity path", "activities[0].path", "runs"],
  ["activity input schema", "activities[0].input_schema", "[]"],
  [
    "activity schedule input",
    "activities[0].schedule.input",
    (m: AppManifest) =>
      put(m, "activities[0].schedule", create(ActivityRecurrenceSchema, { input: '{"id":1234567890123456789}' })),
  ],

  ["too many storages", "storage", (m: AppManifest) => put(m, "storage", many(17, m.storage[0]))],
  ["storage name in upper case", "storage[0].name", "Data"],
  ["storage name too long", "storage[0].name", "a".repeat(41)],
  ["storage twice", "storage[1].name", "data"],
  ["storage size without a unit", "storage[0].size", "100"],
  ["storage path that is relative", "storage[0].mount_path", "data"],
  ["storage path that climbs", "storage[0].mount_path", "/a/../data"],
  ["storage path that ends with a slash", "storage[0].mount_path", "/data/"],
  ["storage path too long", "storage[0].mount_path", `/${"a".repeat(255)}`],
  ["the root as storage path", "storage[0].mount_path", "/"],
  ["storage path of the system", "storage[0].mount_path", "/usr/share/data"],
  ["storage path of the system's libraries", "storage[0].mount_path", "/lib64"],
  ["storage path of the platform", "storage[0].mount_path", "/run/appserver"],
  ["storage path around one of the platform", "storage[0].mount_path", "/run"],
  ["storage path twice", "storage[1].mount_path", "/data"],
  ["storage path in another one", "storage[1].mount_path", "/data/cache"],
  [
    "storage path around another one",
    "storage[1].mount_path",
    (m: AppManifest) => put(m, "storage[0].mount_path", "/srv/cache/pages"),
  ],
  ["a folder with everything of the system as storage path", "storage[1].mount_path", "/var"],
];

/** Breaks the rule of a row of {@link mutations}. */
export function breakRule(manifest: AppManifest, field: string, change: unknown): void {
  if (typeof change === "function") change(manifest);
  else put(manifest, field, change);
}
