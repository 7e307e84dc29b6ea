import assert from "node:assert/strict";
import { test } from "node:test";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { BatchedPermissions, Caller } from "@appserver/kernel";
import { callBy } from "@appserver/testing/kit";
import { create } from "@bufbuild/protobuf";
import type { AppRecord, AssetRecord } from "../../domain/app.ts";
import { liveApp } from "../../domain/live-app.ts";
import { appFields } from "./app-fields.ts";
import { appNode, type GraphqlDeps } from "./app-node.ts";
import { viewerFields, viewerQueries } from "./viewer.ts";

const alice: Caller = { kind: "user", id: "alice", displayName: "Alice" };
const manifest = create(AppManifestSchema, {
  name: "com.example.notes",
  webApp: {
    ui: {
      entryAssetName: "main.js",
      navigation: [
        {
          title: "Start",
          href: "/start",
          children: [{ title: "Archive", href: "/old", requiredPermissions: ["notes:archive"] }],
        },
        { title: "Notes", href: "/notes", requiredPermissions: ["notes:read"] },
        { title: "Secrets", href: "/secrets", requiredPermissions: ["notes:read", "notes:admin"] },
      ],
    },
  },
});

/** Returns the menu of one app for a caller that holds `notes:read`: in the app itself, and of the viewer. */
async function menus(record: Partial<AppRecord>, held = ["notes:read"], shown = manifest, listsAllApps = true, caller = alice) {
  const call = callBy(caller);
  const dates = { registeredAt: new Date(), updatedAt: new Date() };
  const name = shown.name;
  const app = { name, displayName: "Notes", state: "RUNNING", enabled: true, conditions: [], ...dates, ...record } as AppRecord;
  const live = liveApp(app, { manifest: shown, certificate: new Uint8Array(), targetManifest: undefined });
  const asset: AssetRecord = { name: "main.js", mimeType: "text/javascript", size: 1, sha256: "", signatureAlgorithm: "none" };
  const permissions: Pick<BatchedPermissions, "allowedEach"> = {
    allowedEach: async (_, wanted) => wanted.map(({ permission }) => held.includes(permission)),
  };
  const context = {
    apps: { allCurrent: async () => [live], manifestOf: () => shown },
    store: { assets: async () => [asset] },
    permissions,
    policy: { listsAllApps },
  };
  const deps = { context, assetUrl: () => "/main.js" } as unknown as GraphqlDeps;
  const titles = (routes: readonly { readonly title: string; readonly children: readonly unknown[] }[] = []) =>
    routes.map(({ title, children }) => [title, children.length]);
  return {
    ofApp: titles((await appFields(deps).ui(appNode(deps.context, app), undefined, call))?.navigation),
    closed: (await viewerQueries(deps).closedApps(undefined, undefined, call)).map(({ permissions, hasOpenPages }) => [
      ...permissions,
      ...(hasOpenPages ? ["and others are open"] : []),
    ]),
    ofViewer: titles(await viewerFields(deps).navigation(undefined, undefined, call)),
  };
}

test("a menu has the entries whose permissions the caller holds, on every level", async () => {
  const seen = [
    ["Start", 0],
    ["Notes", 0],
  ];
  assert.deepEqual(await menus({}), {
    ofApp: seen,
    ofViewer: seen,
    closed: [["notes:archive", "notes:admin", "and others are open"]],
  });
});

test("a disabled app has no menu", async () => {
  assert.deepEqual(await menus({ enabled: false }), { ofApp: [], ofViewer: [], closed: [] });
});

test("the menu of the viewer has no entries of apps that are not installed", async () => {
  assert.deepEqual((await menus({ state: "UNINSTALLED" })).ofViewer, []);
});

test("an app is closed to a person for whom one of its own permissions would open a page", async () => {
  const entries = (...required: readonly (readonly string[])[]) =>
    create(AppManifestSchema, {
      name: manifest.name,
      webApp: {
        ui: {
          entryAssetName: "main.js",
          navigation: required.map((requiredPermissions, index) => ({
            title: "Page",
            href: `/${index}`,
            requiredPermissions: [...requiredPermissions],
          })),
        },
      },
    });
  const closed = async (...[record, held, shown, listsAllApps]: Parameters<typeof menus>) =>
    (await menus(record, held, shown, listsAllApps)).closed;
  const two = entries(["notes:read", "notes:admin"], ["notes:write"]);
  assert.deepEqual(await closed({}, ["notes:read"], two), [["notes:admin", "notes:write"]]);
  assert.deepEqual(await closed({}, ["notes:write"], two), [["notes:read", "notes:admin", "and others are open"]]);
  assert.deepEqual(await closed({}, ["notes:read", "notes:admin", "notes:write"], two), []);
  assert.deepEqual(await closed({}, [], entries(["app:view"])), [], "only permissions of the platform");
  assert.deepEqual(await closed({}, [], entries()), [], "everyone may see the page");
  assert.deepEqual(await closed({ enabled: false }, [], two), []);
  assert.deepEqual(await closed({ state: "UNINSTALLED" }, [], two), []);
  assert.deepEqual(await closed({}, [], two, false), [], "by an option of the operator");
  assert.equal((await closed({}, ["notes:write"], two, false)).length, 1, "the person knows the app");
});

test("an agent of some apps sees the menus of these only", async () => {
  const ofAgent = async (app: string) =>
    (await menus({}, ["notes:read"], manifest, true, { ...alice, agent: { bounds: { apps: [app] } } })).ofViewer;
  assert.deepEqual(await ofAgent(manifest.name), (await menus({})).ofViewer);
  assert.deepEqual(await ofAgent("com.example.other"), []);
});
