import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { loadManifest, readAppKeys } from "@appserver/sdk";
import {
  type EchoUpstream,
  echoUpstream,
  eventually,
  nextNotes,
  notesFolder,
  type PlatformUnderTest,
  send,
  startPlatform,
  type TestApp,
  untilState,
  untilStatus,
} from "@appserver/testing/kit";
import { inTurn, underLoad } from "../kit/under-load.ts";

const notes = "com.example.notes";
const ping = `/api/apps/${notes}/ping`;
/** Only 1.1 has it. */
const ownPage = `/apps/${notes}/assets/index.html`;

interface NotesPlan {
  readonly blockers: readonly { readonly code: string }[];
  readonly approvalsNeeded: readonly object[];
  readonly differences: Readonly<
    Record<
      "permissions" | "routes" | "settings" | "navigation",
      { readonly added: readonly Readonly<Record<string, string>>[]; readonly removed: readonly object[] }
    >
  >;
}

interface Operation {
  readonly id: string;
  readonly stage: string;
  readonly done: boolean;
  readonly error: { readonly message: string } | null;
}

describe("upgrades and rollbacks", () => {
  let platform: PlatformUnderTest;
  let upstream: EchoUpstream;
  before(async () => {
    upstream = await echoUpstream();
    platform = await startPlatform();
  });
  after(async () => {
    await platform?.stop();
    await upstream?.stop();
  });

  const query = async <T>(document: string, variables: object = {}): Promise<T> => {
    const { data, errors } = await platform.graphql(document, variables);
    assert.equal(errors, undefined, JSON.stringify(errors));
    return data as T;
  };
  const codeOf = async (document: string, variables: object = {}) =>
    (await platform.graphql(document, variables)).errors?.[0]?.extensions.code;
  const appOf = async (name: string) =>
    (
      await query<{ app: Record<string, unknown> }>(
        `query ($name: String!) { app(name: $name) {
           version availableVersion availableDigest state
           versionHistory { kind fromVersion version reason } releases { version isCurrent }
           ui { entryAsset { url } } deployment { generation containerName } } }`,
        { name },
      )
    ).app as {
      readonly version: string;
      readonly availableVersion: string | null;
      readonly availableDigest: string | null;
      readonly versionHistory: readonly { readonly kind: string; readonly version: string }[];
      readonly releases: readonly { readonly version: string; readonly isCurrent: boolean }[];
      readonly ui: { readonly entryAsset: { readonly url: string } } | null;
      readonly deployment: { readonly generation: number; readonly containerName: string } | null;
    };
  const start = async (field: string, name: string, more = "") =>
    (
      await query<Record<string, { operation: Operation }>>(
        `mutation ($name: String!) { ${field}(name: $name ${more}) { operation { id stage done error { message } } } }`,
        { name },
      )
    )[field]?.operation ?? assert.fail("no operation");
  const ended = async ({ id }: Operation): Promise<Operation> => {
    const read = async () =>
      (
        await query<{ operation: Operation }>("query ($id: ID!) { operation(id: $id) { id stage done error { message } } }", {
          id,
        })
      ).operation;
    return eventually(read, ({ done }) => done, { timeoutMs: 120_000, what: "the end of the operation" });
  };

  /** The notes app, with another version. */
  const notesVersion = async (version: string, more = "", change = (manifest: string) => manifest): Promise<TestApp> => {
    const folder = await mkdtemp(join(tmpdir(), "contract-notes-"));
    try {
      await cp(notesFolder, folder, { recursive: true, filter: (path) => basename(path) !== "node_modules" });
      const manifest = await readFile(join(folder, "app.yaml"), "utf8");
      await writeFile(join(folder, "app.yaml"), change(manifest.replace(/^version: .*$/m, `version: ${version}${more}`)));
      const keys = await readAppKeys(folder);
      return { ...(await loadManifest(folder, keys)), keys };
    } finally {
      await rm(folder, { recursive: true });
    }
  };

  test("notes 1.1 brings a route, a setting and a permission, and the plan names them before anything changes", async () => {
    await untilState(platform, notes, "RUNNING", 60_000);
    const before = await appOf(notes);
    await platform.register(await nextNotes());
    const registered = await appOf(notes);
    assert.deepEqual([registered.version, registered.availableVersion], [before.version, "1.1.0"]);
    const { upgradePlan: plan } = await query<{ upgradePlan: NotesPlan }>(
      `query ($name: String!) { upgradePlan(name: $name) {
         blockers { code } steps { action version } differences approvalsNeeded { scope resourceType } } }`,
      { name: notes },
    );
    const { permissions, routes, settings, navigation } = plan.differences;
    assert.deepEqual(
      [permissions.added[0]?.scope, routes.added[0]?.pattern, settings.added[0]?.key, navigation.added[0]?.href],
      ["page:origin", "/search", "notes.search_limit", "/notes/search"],
    );
    assert.deepEqual([routes.added.length, routes.removed, settings.removed], [1, [], []]);
    assert.deepEqual(plan.blockers, [{ code: "APPROVAL_REQUIRED" }]);
    assert.deepEqual(plan.approvalsNeeded, [{ scope: "page:origin", resourceType: "platform" }]);
    const upgrade = "mutation ($name: String!) { upgradeApp(name: $name) { success } }";
    assert.equal(await codeOf(upgrade, { name: notes }), "APPROVAL_REQUIRED");
    await query('mutation ($name: String!) { approvePermissions(name: $name, scopes: ["page:origin"]) { success } }', {
      name: notes,
    });
    assert.equal((await appOf(notes)).version, before.version);
  });

  test("notes, in its own process or container, switches to 1.1 and back, and no request fails", async (t) => {
    const headers = { cookie: await platform.login("alice") };
    const search = `/api/apps/${notes}/search?query=milk`;
    await untilStatus(platform.httpUrl, ping, 200);
    await untilStatus(platform.httpUrl, search, 404, { headers });
    const before = await appOf(notes);
    const count = await underLoad(t, { calls: inTurn([platform.httpUrl], ping) }, async () => {
      assert.equal((await ended(await start("upgradeApp", notes))).error, null);
      const upgraded = await appOf(notes);
      assert.equal(upgraded.version, "1.1.0");
      const { text } = await untilStatus(platform.httpUrl, search, 200, { headers });
      assert.deepEqual(Object.keys(JSON.parse(text) as object), ["notes", "total"]);
      assert.equal((await send(platform.httpUrl, search)).status, 401);
      // The pages of both versions are there, each with its own files.
      const pages = [before, upgraded].map(({ ui }) => ui?.entryAsset.url ?? "");
      assert.equal(new Set(pages).size, 2);
      for (const page of pages) {
        const { status, headers: sent } = await send(platform.httpUrl, page);
        assert.deepEqual([status, sent["cache-control"]], [200, "public, max-age=31536000, immutable"], page);
      }
      assert.equal((await send(platform.httpUrl, (pages[0] ?? "").replace(/[0-9a-f]{64}/, "0".repeat(64)))).status, 404);
      await untilStatus(platform.httpUrl, ownPage, 200);
      assert.equal((await ended(await start("rollbackApp", notes))).error, null);
    });
    assert.ok(count > 100, `${count} requests`);
    await untilStatus(platform.httpUrl, search, 404, { headers });
    await untilStatus(platform.httpUrl, ownPage, 404);
    const after = await appOf(notes);
    assert.equal(after.version, before.version);
    assert.deepEqual(
      after.versionHistory.slice(0, 2).map(({ kind, version }) => `${kind} ${version}`),
      [`ROLLBACK ${before.version}`, "UPGRADE 1.1.0"],
    );
    assert.equal(after.deployment?.generation, (before.deployment?.generation ?? 0) + 2);
    await eventually(
      async () => (await appOf(notes)).deployment?.containerName,
      (name) => name === `app-${notes}`,
      {
        timeoutMs: 60_000,
        what: "the name of the container",
      },
    );
  });

  test("a version that must not run twice replaces the one before, and requests wait for it", async (t) => {
    const before = await appOf(notes);
    await platform.register(await notesVersion("1.2.0", "\nupgrade: REPLACE"));
    await underLoad(t, { calls: inTurn([platform.httpUrl], ping) }, async () => {
      assert.equal((await ended(await start("upgradeApp", notes))).error, null);
      assert.equal((await appOf(notes)).version, "1.2.0");
    });
    assert.equal((await ended(await start("rollbackApp", notes))).error, null);
    assert.equal((await appOf(notes)).version, before.version);
  });
});
