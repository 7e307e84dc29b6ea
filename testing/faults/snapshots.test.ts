import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, before, suite, test } from "node:test";
import { eventually, jsonOf, publishApp, type RunningPlatform, scaled, send, untilState } from "@appserver/testing/kit";
import pg from "pg";
import { appProcess } from "../contract/app-process.ts";
import { command, dataOf } from "../contract/commands.ts";
import { linesApp, linesManifest } from "../contract/lines-app.ts";
import { appProcesses } from "./app-processes.ts";
import { type CommitPoint, CommitPoints, type KillPoint } from "./commit-points.ts";
import { createAppserver, removeAppserver } from "./faulty-platform.ts";
import { duplicates } from "./invariants.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
const name = "test.snapped";
const timeoutMs = 120_000;
/** Of each command, spread over its commits. */
const kills = scaled(12);

suite("kill -9 of server and orchestrator, in one process, at the commits of a snapshot and of a restore", { skip }, () => {
  const commits = new CommitPoints();
  let platform: RunningPlatform;
  let folder = "";
  /** What the data of the app is now, and what the snapshot has. */
  let written: readonly string[] = [];
  before(async () => {
    folder = await linesApp();
    platform = await createAppserver({ flags: ["--no-examples"], environment: commits.environment });
    await start();
    await publishApp(platform, name, folder);
    await platform.register(await linesManifest(name, "1.0.0", [{ name: "data", mount_path: "/data", size: "1Mi" }]));
    await command(platform, `installApp(name: "${name}") { success }`);
    await untilState(platform, name, "RUNNING", timeoutMs);
    await onDatabase("create table kept (text text)");
    await write("first");
  });
  after(async () => {
    if (platform) await removeAppserver(platform);
    commits.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    platform.process.start();
    await platform.process.until(async () => platform.process.printed.includes("Ctrl-C stops"));
  }

  async function onDatabase(statement: string): Promise<readonly unknown[]> {
    const lines = appProcess(platform, name)?.environment ?? [];
    const variable = (wanted: string): string =>
      lines.find((line) => line.startsWith(`${wanted}=`))?.slice(wanted.length + 1) ?? "";
    const [host = "", user = "", password = "", database = ""] = ["DB_HOST", "DB_USER", "DB_PASSWORD", "DB_NAME"].map(variable);
    const client = new pg.Client({ host, port: Number(variable("DB_PORT")), user, password, database });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  }

  async function write(text: string): Promise<void> {
    const answer = await send(platform.httpUrl, `/api/apps/${name}/lines?text=${text}`, { method: "POST" });
    assert.equal(answer.status, 200, answer.text);
    await onDatabase(`insert into kept values ('${text}')`);
    written = [...written, text];
  }

  /** Waits until nothing is left to do and the app serves. Returns what storage and database have, which must be the same. */
  async function settled(): Promise<readonly string[]> {
    await eventually(unfinished, (count) => count === 0, { timeoutMs, what: "the end of snapshots and restores" });
    const read = () => send(platform.httpUrl, `/api/apps/${name}/lines`);
    const answer = await eventually(read, ({ status }) => status === 200, { timeoutMs, what: `${name} is served` });
    await untilState(platform, name, "RUNNING", timeoutMs);
    const stored = jsonOf(answer) as readonly string[];
    const rows = (await onDatabase("select text from kept")) as readonly { readonly text: string }[];
    assert.deepEqual(rows.map(({ text }) => text).sort(), [...stored].sort());
    assert.deepEqual(duplicates(appProcesses(platform.dataDir)), []);
    return stored;
  }

  async function unfinished(): Promise<number> {
    const isOpen = "app_name = $1 and state in ('PENDING', 'RUNNING')";
    const text = `select (select count(*) from orchestration.snapshots where ${isOpen})
      + (select count(*) from orchestration.snapshot_restores where ${isOpen})
      + (select count(*) from orchestration.deployments where app_name = $1 and role = 'current'
         and (state <> 'HEALTHY' or paused_at is not null)) as count`;
    const { rows } = await platform.onDatabase((sql) => sql.query<{ readonly count: number }>(text, [name]));
    return Number(rows[0]?.count);
  }

  async function newest(): Promise<string> {
    type Listed = { readonly found: readonly { readonly id: string; readonly state: string; readonly reason: string }[] };
    const { found } = await dataOf<Listed>(platform, `{ found: appSnapshots(name: "${name}") { id state reason } }`);
    return found.find(({ state, reason }) => state === "COMPLETED" && reason === "MANUAL")?.id ?? "";
  }

  /** The commits of the orchestrator and of the command itself. */
  const ofCommand = ({ writes }: CommitPoint): boolean => /orchestration\.|marketplace\.operations/.test(writes);

  /** Kills the process at one commit of the command, starts it again, and waits until all is done. */
  async function killedAt(point: KillPoint, run: () => Promise<unknown>): Promise<readonly string[]> {
    commits.arm(point);
    await run().catch(() => {});
    await platform.process.ended();
    assert.equal(platform.process.exitReason, "SIGKILL", platform.process.printed);
    commits.arm();
    await start();
    return await settled();
  }

  /** Returns points that are spread over the commits, before and after them in turn. */
  function pointsOf(listed: readonly CommitPoint[]): readonly KillPoint[] {
    const step = Math.max(1, listed.length / kills);
    const chosen = Array.from({ length: Math.min(kills, listed.length) }, (_, index) => listed[Math.floor(index * step)]);
    return chosen.flatMap((point, index) => (point ? { ...point, moment: index % 2 === 0 ? "after" : "before" } : []));
  }

  async function commitsOf(run: () => Promise<unknown>): Promise<readonly CommitPoint[]> {
    commits.arm();
    await run();
    await settled();
    return commits.listed().filter(ofCommand);
  }

  const create = () => command(platform, `createAppSnapshot(name: "${name}") { success }`);
  const restore = (id: string) => command(platform, `restoreAppSnapshot(name: "${name}", snapshot: "${id}") { success }`);

  test("a snapshot is complete or was never requested, and the app runs with its data", async (t) => {
    const listed = await commitsOf(create);
    t.diagnostic(`${listed.length} commits`);
    assert.ok(listed.length >= 8, JSON.stringify(listed));
    for (const point of pointsOf(listed)) assert.deepEqual(await killedAt(point, create), written, JSON.stringify(point));
    const failed =
      "select error from orchestration.snapshots where state = 'FAILED' and error not like '%did not end within 30 s'";
    assert.deepEqual((await platform.onDatabase((sql) => sql.query(failed))).rows, []);
  });

  test("a restore replaces all data or none", async (t) => {
    const kept = written;
    await create();
    await settled();
    const id = await newest();
    await write("second");
    const listed = await commitsOf(() => restore(id));
    t.diagnostic(`${listed.length} commits`);
    assert.ok(listed.length >= 10, JSON.stringify(listed));
    let restored = 0;
    for (const point of pointsOf(listed)) {
      written = kept;
      await write("second");
      const found = await killedAt(point, () => restore(id));
      assert.ok(
        [kept, [...kept, "second"]].some((each) => JSON.stringify(each) === JSON.stringify(found)),
        JSON.stringify(point),
      );
      if (found.length === kept.length) restored += 1;
      else {
        await restore(id);
        await settled();
      }
    }
    t.diagnostic(`${restored} restores were finished after the kill`);
    assert.ok(restored > 0);
  });
});
