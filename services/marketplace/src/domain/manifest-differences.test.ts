import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import { type AppManifest, AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { SettingDataType } from "@appserver/contracts/proto/appserver/v2/settings";
import { UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { validManifest } from "../../test/complete-manifest.ts";
import { type ManifestDifferences, manifestDifferences, settingsLost } from "./manifest-differences.ts";

type Init = MessageInitShape<typeof AppManifestSchema>;
type ApiInit = NonNullable<NonNullable<Init["webApp"]>["api"]>;

function manifest(init: Init = {}): AppManifest {
  return create(AppManifestSchema, { name: "notes", version: "1.0.0", ...init } as Init);
}

function between(from: Init, to: Init): ManifestDifferences {
  return manifestDifferences(manifest(from), manifest({ version: "2.0.0", ...to } as Init), "always");
}

function withApi(api: ApiInit): Init {
  return { webApp: { api: { basePath: "/v1", upstreamBaseUrl: "http://notes:1", ...api } as ApiInit } };
}

describe("the differences of two manifests", () => {
  test("equal manifests differ in nothing", () => {
    const { from, to, irreversibleMigration, replicas, description, imageDigest, user, uiMode, routeBase, basePath, ...lists } =
      manifestDifferences(validManifest(), validManifest(), "always");
    assert.deepEqual([from, to], ["1.2.3-rc.1+build.5", "1.2.3-rc.1+build.5"]);
    assert.deepEqual(
      [irreversibleMigration, ...[replicas, description, imageDigest, user, uiMode, routeBase, basePath].filter(Boolean)],
      [false],
    );
    for (const [name, list] of Object.entries(lists)) assert.deepEqual(Object.values(list).flat(), [], name);
  });

  test("storage is compared by name, so that another path is a change", () => {
    const data = { name: "data", mountPath: "/data", size: "1Gi" };
    const index = { name: "index", mountPath: "/index", size: "1Gi" };
    const { storage } = between({ storage: [index, data] }, { storage: [{ ...data, mountPath: "/files" }] });
    assert.deepEqual(storage, {
      added: [],
      removed: [index],
      changed: [{ from: data, to: { ...data, mountPath: "/files" }, fields: ["mountPath"] }],
    });
  });

  test("the environment, the user and the limits of the container are compared", () => {
    const setting = (key: string, env: string) => ({ key, dataType: SettingDataType.STRING, env });
    const { environment, user, resources, replicas } = between(
      {
        environment: { LEVEL: "info", MODE: "a" },
        settings: { definitions: [setting("notes.token", "TOKEN"), setting("notes.old", "OLD")] },
        resources: { memoryMb: 128, pids: 10 },
      },
      {
        environment: { LEVEL: "debug", TOKEN: "fixed" },
        settings: { definitions: [setting("notes.token", "SECRET")] },
        user: "root",
        resources: { memoryMb: 256, cpuShares: 512 },
        replicas: { min: 2, max: 5, cpuPercent: 70 },
      },
    );
    assert.deepEqual(environment, {
      added: [{ name: "SECRET", setting: "notes.token" }],
      removed: [
        { name: "MODE", value: "a" },
        { name: "OLD", setting: "notes.old" },
      ],
      changed: [
        { from: { name: "LEVEL", value: "info" }, to: { name: "LEVEL", value: "debug" }, fields: ["value"] },
        {
          from: { name: "TOKEN", setting: "notes.token" },
          to: { name: "TOKEN", value: "fixed" },
          fields: ["setting", "value"],
        },
      ],
    });
    assert.deepEqual(user, { from: undefined, to: "root" });
    assert.deepEqual(replicas, { from: "1", to: "2 to 5 at 70 %" });
    assert.deepEqual(resources, {
      added: [{ resource: "cpu_shares", limit: 512 }],
      removed: [{ resource: "pids", limit: 10 }],
      changed: [{ from: { resource: "memory_mb", limit: 128 }, to: { resource: "memory_mb", limit: 256 }, fields: ["limit"] }],
    });
  });

  test("permissions are compared by digest, so that a changed one is seen to need another approval", () => {
    const { permissions } = between(
      {
        requiredPermissions: [
          { scope: "clock:read", resourceType: "clock", reason: "shows the time" },
          { scope: "app:install", resourceType: "app", reason: "x" },
        ],
      },
      {
        requiredPermissions: [
          { scope: "settings:write", resourceType: "settings", reason: "x" },
          { scope: "clock:read", resourceType: "clock", reason: "sets the time" },
          { scope: "clock:read", resourceType: "watch", reason: "x" },
        ],
      },
    );
    assert.deepEqual(
      permissions.added.map(({ scope, owner, needsApproval }) => [scope, owner, needsApproval]),
      [
        ["clock:read", "watch", true],
        ["settings:write", undefined, true],
      ],
    );
    assert.deepEqual(
      permissions.removed.map(({ scope }) => scope),
      ["app:install"],
    );
    const [change, ...more] = permissions.changed;
    assert.deepEqual([change?.fields, more], [["digest", "reason"], []]);
    assert.notEqual(change?.from.digest, change?.to.digest);
  });

  test("the operator's rule decides which added permissions need an approval", () => {
    const next = manifest({ requiredPermissions: [{ scope: "clock:read", resourceType: "clock", reason: "x" }] });
    const needs = (rule: "always" | "declared") => manifestDifferences(manifest(), next, rule).permissions.added;
    assert.deepEqual([needs("always")[0]?.needsApproval, needs("declared")[0]?.needsApproval], [true, false]);
  });

  test("own scopes are those of the routes", () => {
    const { ownScopes } = between(
      withApi({ routes: [{ pattern: "/a", methods: ["GET"], scopes: ["notes:read", "notes:old"] }] }),
      withApi({
        requiredPermissions: ["notes:use"],
        routes: [{ pattern: "/a", methods: ["GET"], scopes: ["notes:read", "notes:add"] }],
      }),
    );
    assert.deepEqual(ownScopes, { added: ["notes:add", "notes:use"], removed: ["notes:old"] });
  });

  test("navigation is compared on all levels", () => {
    const ui = (navigation: object[]): Init => ({ webApp: { ui: { mode: UIMode.UI_MODE_FEDERATION, navigation } } });
    const { navigation } = between(
      ui([{ title: "Notes", href: "/notes", children: [{ title: "Old", href: "/notes/old" }] }]),
      ui([{ title: "Notes", href: "/notes", children: [{ title: "New", href: "/notes/new" }] }]),
    );
    assert.deepEqual(navigation, {
      added: [{ titles: ["Notes", "New"], href: "/notes/new" }],
      removed: [{ titles: ["Notes", "Old"], href: "/notes/old" }],
    });
  });

  test("hooks, activities and dependencies are compared by name", () => {
    const { hooks, activities, dependencies } = between(
      {
        hooks: [{ hookName: "app.on_create", path: "/a" }, { hookName: "b.c" }],
        activities: [{ name: "export" }],
        dependencies: [
          { appName: "clock", kind: DependencyKind.SOFT },
          { appName: "mail", kind: DependencyKind.HARD, versionConstraint: "^1.0.0" },
        ],
      },
      {
        hooks: [{ hookName: "app.on_create", path: "/b" }, { hookName: "a.b" }],
        activities: [{ name: "import" }],
        dependencies: [
          { appName: "mail", kind: DependencyKind.HARD, versionConstraint: "^2.0.0" },
          { appName: "files", kind: DependencyKind.HARD, versionConstraint: "" },
        ],
      },
    );
    assert.deepEqual(hooks, { added: ["a.b"], removed: ["b.c"] });
    assert.deepEqual(activities, { added: ["import"], removed: ["export"] });
    assert.deepEqual(dependencies, {
      added: [{ appName: "files", hard: true, versionConstraint: undefined }],
      removed: [{ appName: "clock", hard: false, versionConstraint: undefined }],
      changed: [
        {
          from: { appName: "mail", hard: true, versionConstraint: "^1.0.0" },
          to: { appName: "mail", hard: true, versionConstraint: "^2.0.0" },
          fields: ["versionConstraint"],
        },
      ],
    });
  });

  test("the mode, the paths and an irreversible migration are named", () => {
    const ui = { mode: UIMode.UI_MODE_ESM_COMPONENT, routeBase: "/n" };
    const api = { basePath: "/v2", upstreamBaseUrl: "http://notes:1" };
    const differences = between({ ...withApi({}), irreversibleMigration: true }, { webApp: { ui, api } });
    assert.deepEqual(differences.uiMode, { from: undefined, to: "ESM_COMPONENT" });
    assert.deepEqual(differences.routeBase, { from: undefined, to: "/n" });
    assert.deepEqual(differences.basePath, { from: "/api/apps/notes/v1", to: "/api/apps/notes/v2" });
    assert.equal(differences.irreversibleMigration, false, "only the new version's migration matters");
    assert.equal(between({}, { irreversibleMigration: true }).irreversibleMigration, true);
  });
});

describe("the differences of routes", () => {
  const routes = (from: ApiInit, to: ApiInit) => between(withApi(from), withApi(to)).routes;

  test("routes are added, removed and changed", () => {
    const { added, removed, changed } = routes(
      {
        routes: [
          { pattern: "/old", methods: ["GET"] },
          { pattern: "/items", methods: ["POST", "GET"], scopes: ["notes:read"], timeoutMs: 10 },
        ],
      },
      {
        routes: [
          { pattern: "/new", methods: ["GET"] },
          { pattern: "/items", methods: ["GET", "POST"], isPublic: true, rateLimit: { rpm: 5 }, timeoutMs: 20 },
        ],
      },
    );
    assert.deepEqual([added.map(({ pattern }) => pattern), removed.map(({ pattern }) => pattern)], [["/new"], ["/old"]]);
    assert.deepEqual(
      changed.map(({ from, fields }) => [from.pattern, fields]),
      [["/items", ["isPublic", "rateLimit", "scopes", "timeoutMs"]]],
    );
  });

  test("other methods of a pattern are a change, and the order of methods and scopes is none", () => {
    const first = { pattern: "/a", methods: ["GET", "PUT"], scopes: ["a:b", "a:c"] };
    assert.deepEqual(routes({ routes: [first] }, { routes: [{ ...first, methods: ["PUT", "GET"], scopes: ["a:c", "a:b"] }] }), {
      added: [],
      removed: [],
      changed: [],
    });
    const { added, removed, changed } = routes({ routes: [first] }, { routes: [{ ...first, methods: ["GET"] }] });
    assert.deepEqual([added, removed, changed[0]?.fields], [[], [], ["methods"]]);
  });

  test("of several routes with one pattern, those with the same methods are compared", () => {
    const { added, removed, changed } = routes(
      {
        routes: [
          { pattern: "/a", methods: ["GET"], scopes: ["a:read"] },
          { pattern: "/a", methods: ["PUT"], scopes: ["a:write"] },
        ],
      },
      {
        routes: [
          { pattern: "/a", methods: ["DELETE"], scopes: ["a:write"] },
          { pattern: "/a", methods: ["GET"], scopes: ["a:read"] },
          { pattern: "/a", methods: ["PUT"], scopes: ["a:admin"] },
        ],
      },
    );
    assert.deepEqual([added.map(({ methods }) => methods), removed], [[["DELETE"]], []]);
    assert.deepEqual(
      changed.map(({ from, to }) => [from.scopes, to.scopes]),
      [[["a:write"], ["a:admin"]]],
    );
  });

  test("the defaults of the API count: its scopes, its limit, and its path without routes", () => {
    const route = { pattern: "/a", methods: ["GET"] };
    const { changed } = routes(
      { routes: [route] },
      { routes: [route], requiredPermissions: ["a:read"], defaultRateLimit: { rpm: 1 } },
    );
    assert.deepEqual(changed[0]?.fields, ["rateLimit", "scopes"]);
    const { added, removed } = routes({}, { routes: [route] });
    assert.deepEqual([removed.map(({ pattern }) => pattern), added.map(({ pattern }) => pattern)], [["/**"], ["/a"]]);
  });
});

describe("settings that an upgrade loses", () => {
  const T = SettingDataType;
  const lost = (from: Record<string, SettingDataType>, to: Record<string, SettingDataType>, stored = Object.keys(from)) => {
    const definitions = (types: Record<string, SettingDataType>) =>
      Object.entries(types).map(([key, dataType]) => ({ key, dataType }));
    return settingsLost(
      between({ settings: { definitions: definitions(from) } }, { settings: { definitions: definitions(to) } }),
      stored,
    );
  };

  test("a stored value is lost if its definition is removed or its type changes", () => {
    assert.deepEqual(lost({ c: T.STRING, b: T.INT, a: T.BOOL }, { b: T.STRING, a: T.BOOL }), [
      { key: "b", from: "INT", to: "STRING" },
      { key: "c", from: "STRING", to: undefined },
    ]);
  });

  test("a setting without a stored value loses nothing, and neither does one that both versions have", () => {
    assert.deepEqual(lost({ a: T.INT, b: T.INT }, { a: T.BOOL }, ["elsewhere"]), []);
    assert.deepEqual(lost({ a: T.INT }, { a: T.INT, b: T.INT }), []);
  });

  test("a value that is valid for the new type as well is not lost", () => {
    const from = { a: T.INT, b: T.INT, c: T.INT_ARRAY, d: T.KVPAIR_ARRAY };
    assert.deepEqual(lost(from, { a: T.INT_REQUIRED, b: T.FLOAT_REQUIRED, c: T.FLOAT_ARRAY, d: T.JSON }), []);
    assert.deepEqual(
      lost({ a: T.FLOAT, b: T.JSON }, { a: T.INT, b: T.STRING }).map(({ key }) => key),
      ["a", "b"],
    );
  });

  test("a setting of the platform stays when the manifest no longer declares it", () => {
    assert.deepEqual(lost({ "docker.image.stage": T.STRING }, {}), []);
  });
});
