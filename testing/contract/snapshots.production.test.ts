import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import {
  eventually,
  jsonOf,
  type PlatformUnderTest,
  platformVariant,
  publishApp,
  send,
  startPlatform,
  type TestApp,
  uniqueName,
  untilState,
  untilStatus,
} from "@appserver/testing/kit";
import type { TestDockerEngine } from "@appserver/testing/kit/docker";
import pg from "pg";
import { inTurn, underLoad } from "../kit/under-load.ts";
import { appProcess } from "./app-process.ts";
import { command, dataOf, purgeApp, switchBy } from "./commands.ts";
import { linesApp, linesManifest } from "./lines-app.ts";
import { platformEngine } from "./platform-engine.ts";

const [kept, other, clone] = ["snapped", "serving", "cloned"].map((word) => uniqueName(`com.example.${word}`)) as [
  string,
  string,
  string,
];
const skip = platformVariant === "embedded" && process.platform !== "linux" ? "needs /proc" : false;
const timeoutMs = 120_000;
const data = { name: "data", mount_path: "/data", size: "100Mi" };

interface Snapshot {
  readonly id: string;
  readonly appVersion: string;
  readonly reason: string;
  readonly state: string;
  readonly error: string | null;
  readonly pausedMs: number | null;
  readonly databaseBytes: number | null;
  readonly storage: readonly { readonly name: string; readonly usedBytes: number }[];
}

describe("snapshots of the data of an app", { skip }, () => {
  let platform: PlatformUnderTest;
  let engine: TestDockerEngine | undefined;
  let folder = "";
  let first: TestApp;
  before(async () => {
    folder = await linesApp();
    platform = await startPlatform();
    engine = await platformEngine();
    first = await linesManifest(kept, "1.0.0", [data]);
    for (const app of [first, await linesManifest(other, "1.0.0", [data])]) {
      const { name } = app.manifest;
      await publishApp(platform, name, folder);
      await platform.register(app);
      await command(platform, `installApp(name: "${name}") { success }`);
      await untilState(platform, name, "RUNNING", timeoutMs);
    }
    await onDatabase("create table kept (text text)");
  });
  after(async () => {
    for (const name of [kept, other, clone]) await purgeApp(platform, name);
    await platform?.stop();
    await engine?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a statement with what the container of the app has in its environment. */
  const onDatabase = async (statement: string, app = kept): Promise<readonly unknown[]> => {
    const client = await eventually(
      () => connected(app),
      (found) => found !== undefined,
      { timeoutMs, what: "the database of the app" },
    );
    try {
      return (await client?.query(statement))?.rows ?? [];
    } finally {
      await client?.end();
    }
  };
  /** Returns undefined while a switch renames the container or ends the login of another generation. */
  const connected = async (app: string): Promise<pg.Client | undefined> => {
    const lines = engine ? (await engine.inspect(`app-${app}`))?.Config.Env : appProcess(platform, app)?.environment;
    const variable = (name: string): string => lines?.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
    const [host = "", user = "", password = "", database = ""] = ["DB_HOST", "DB_USER", "DB_PASSWORD", "DB_NAME"].map(variable);
    const client = new pg.Client({ host, port: Number(variable("DB_PORT")), user, password, database });
    client.on("error", () => {});
    return await client.connect().then(
      () => client,
      () => undefined,
    );
  };
  const write = async (text: string): Promise<void> => {
    const answer = await send(platform.httpUrl, `/api/apps/${kept}/lines?text=${text}`, { method: "POST" });
    assert.equal(answer.status, 200, answer.text);
    await onDatabase(`insert into kept values ('${text}')`);
  };
  /** What is in the storage and in the database, which must be the same. */
  const written = async (): Promise<unknown> => {
    const lines = jsonOf(await untilStatus(platform.httpUrl, `/api/apps/${kept}/lines`, 200));
    const rows = (await onDatabase("select text from kept order by text")) as readonly { readonly text: string }[];
    assert.deepEqual(
      rows.map(({ text }) => text),
      lines,
    );
    return lines;
  };
  const list = async (): Promise<readonly Snapshot[]> => {
    const fields = "id appVersion reason state error pausedMs databaseBytes storage { name usedBytes }";
    return (await dataOf<{ readonly found: Snapshot[] }>(platform, `{ found: appSnapshots(name: "${kept}") { ${fields} } }`))
      .found;
  };
  const newest = async (): Promise<Snapshot> => {
    const [found] = await list();
    assert.ok(found);
    return found;
  };
  const restore = (id: string): Promise<void> =>
    switchBy(platform, `restoreAppSnapshot(name: "${kept}", snapshot: "${id}")`, timeoutMs);
  const get = (name: string) => inTurn([platform.httpUrl], `/api/apps/${name}/lines`);

  test("a snapshot is taken and restored while requests wait, and other apps serve", async (t) => {
    await write("one");
    await underLoad(t, { calls: get(kept), slow: get(other) }, async () => {
      await switchBy(platform, `createAppSnapshot(name: "${kept}", label: "first")`, timeoutMs);
      await untilStatus(platform.httpUrl, `/api/apps/${kept}/lines`, 200);
    });
    const taken = await newest();
    assert.partialDeepStrictEqual(taken, { appVersion: "1.0.0", reason: "MANUAL", state: "COMPLETED", error: null });
    assert.ok((taken.pausedMs ?? 0) > 0 && (taken.databaseBytes ?? 0) > 1_000_000, JSON.stringify(taken));
    assert.deepEqual(
      taken.storage.map(({ name }) => name),
      ["data"],
    );
    await write("two");
    assert.deepEqual(await written(), ["one", "two"]);
    await restore(taken.id);
    assert.deepEqual(await written(), ["one"]);
    const undo = await newest();
    assert.equal(undo.reason, "RESTORE");
    await restore(undo.id);
    assert.deepEqual(await written(), ["one", "two"]);
  });

  test("a clone has the data of a snapshot, runs when it is installed, and shares nothing with the app", async () => {
    const manual = (await list()).find(({ reason }) => reason === "MANUAL");
    await switchBy(platform, `cloneApp(name: "${kept}", snapshot: "${manual?.id}", as: "${clone}")`, timeoutMs);
    assert.equal((await send(platform.httpUrl, `/api/apps/${clone}/lines`)).status, 404);
    await command(platform, `installApp(name: "${clone}") { success }`);
    await untilState(platform, clone, "RUNNING", timeoutMs);
    const written = async (): Promise<unknown> => [
      jsonOf(await untilStatus(platform.httpUrl, `/api/apps/${clone}/lines`, 200)),
      await onDatabase("select text from kept", clone),
    ];
    assert.deepEqual(await written(), [["one"], [{ text: "one" }]]);
    assert.equal((await send(platform.httpUrl, `/api/apps/${clone}/lines?text=of-clone`, { method: "POST" })).status, 200);
    await onDatabase("delete from kept", clone);
    assert.deepEqual(await written(), [["one", "of-clone"], []]);
    assert.deepEqual(jsonOf(await untilStatus(platform.httpUrl, `/api/apps/${kept}/lines`, 200)), ["one", "two"]);
    assert.deepEqual(await onDatabase("select text from kept order by text"), [{ text: "one" }, { text: "two" }]);
  });

  test("an upgrade takes one first, and a rollback returns to its data", async () => {
    const id = (await dataOf<{ readonly app: { readonly id: string } }>(platform, `{ app(name: "${kept}") { id } }`)).app.id;
    const update = "mutation ($id: ID!, $settings: JSON!) { updateSettings(appID: $id, settings: $settings) { success } }";
    await dataOf(platform, update, { id, settings: { "backup.before_upgrade": true } });
    await platform.register(await linesManifest(kept, "1.1.0", [data], first.keys));
    await switchBy(platform, `upgradeApp(name: "${kept}")`, timeoutMs);
    assert.partialDeepStrictEqual(await newest(), { appVersion: "1.0.0", reason: "UPGRADE", state: "COMPLETED" });
    await write("x-of-1-1");
    await switchBy(platform, `rollbackApp(name: "${kept}", withData: true)`, timeoutMs);
    assert.deepEqual(await written(), ["one", "two"]);
    assert.partialDeepStrictEqual(await newest(), { appVersion: "1.1.0", reason: "RESTORE" });
  });

  test("an app that is disabled is copied without a pause; nothing is left after its data is deleted", async () => {
    await command(platform, `setAppEnabled(name: "${kept}", enabled: false) { success }`);
    await switchBy(platform, `createAppSnapshot(name: "${kept}")`, timeoutMs);
    const taken = await newest();
    assert.partialDeepStrictEqual(taken, { state: "COMPLETED", pausedMs: null });
    await switchBy(platform, `deleteAppSnapshot(name: "${kept}", snapshot: "${taken.id}")`, timeoutMs);
    const databases = () =>
      platform.onAppServer(async (sql) => (await sql.query("select datname from pg_database where datname ~ '^copy_'")).rows);
    const has = (rows: readonly object[], { id }: Snapshot): boolean => JSON.stringify(rows).includes(id.replaceAll("-", ""));
    const left = await list();
    await eventually(databases, (rows) => !has(rows, taken) && left.every((each) => has(rows, each)), { timeoutMs });
    await purgeApp(platform, kept);
    await eventually(databases, (rows) => !left.some((each) => has(rows, each)), { timeoutMs });
  });
});
