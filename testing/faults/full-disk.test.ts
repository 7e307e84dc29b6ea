import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedPostgres, PostgresDatabase } from "@appserver/database-postgres";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { DatabaseError } from "@appserver/kernel/ports";
import { scaled } from "@appserver/testing/kit";
import { Code } from "@connectrpc/connect";
import { FaultyPlatform, prepareSampleApps } from "./faulty-platform.ts";
import { SmallDisk, skipWithoutDisk } from "./full-disk.ts";
import { SettingsWriter } from "./settings-writer.ts";

const fullMs = scaled(25_000);
const recoveryMs = 60_000;
const megabytes = 300;
const app = "com.example.notes";

describe("a full disk", { skip: skipWithoutDisk }, () => {
  let disk: SmallDisk;
  before(async () => {
    await prepareSampleApps();
    disk = await SmallDisk.mount(megabytes);
  });
  after(() => disk?.unmount());

  test("the database driver: writes are unavailable and a ping says so, until there is space", async () => {
    const [clock, logger] = [new SystemClock(), silentLogger];
    const postgres = new EmbeddedPostgres({ folder: join(disk.folder, "driver"), clock, logger });
    await postgres.start();
    const database = new PostgresDatabase({ connection: postgres.connection, clock, logger, poolSize: 2 });
    try {
      await database.query("create table filled (text text)");
      disk.fill();
      const grow = () =>
        database.query("insert into filled select repeat(md5(random()::text), 50) from generate_series(1, 2000)");
      await assert.rejects(grow(), (error) => error instanceof DatabaseError && error.reason === "unavailable");
      await assert.rejects(database.ping(5_000), /disk of the database is full|does not answer|terminat|recovery/);
      disk.free();
      await until("a ping", () => database.ping());
      await grow();
    } finally {
      await database.stop();
      await postgres.stop();
    }
  });

  test(`appserver dev lives through ${fullMs} ms with its data and its log on it`, async (t) => {
    const platform = await FaultyPlatform.create(disk.folder);
    try {
      const { pid } = platform.server;
      const { app: installed } = await platform.client().marketplace.installApp({ name: app });
      const writer = new SettingsWriter(() => platform.client(), installed?.id ?? "");
      await until("a write", () => writer.write());
      const readiness = new Set<number>();
      const full = disk.keepFull(fullMs);
      const isOver = full.then(() => true);
      while (!(await Promise.race([isOver, sleep(100, false)]))) {
        await writer.tryWriting();
        const answer = await fetch(`${platform.server.httpUrl}/ready`).catch(() => undefined);
        await answer?.body?.cancel();
        readiness.add(answer?.status ?? 0);
      }
      t.diagnostic(`${writer.acknowledged} writes acknowledged, ${writer.refusals.length} refused`);
      assert.ok(platform.server.isRunning && platform.server.pid === pid, "the server lives");
      assert.ok(writer.refusals.length > 0, "writes were refused");
      assert.deepEqual(
        writer.refusals.filter((code) => code !== Code.Unavailable),
        [],
      );
      assert.ok(readiness.has(503), `/ready: ${[...readiness]}`);
      await platform.server.ready();
      await until("a write", () => writer.write());
      assert.equal(await writer.stored(), writer.acknowledged);
      const log = join(platform.dataDir, "server.log");
      assert.equal(statSync(log).mode & 0o777, 0o600);
      await until("the count of dropped lines", async () => {
        assert.match(readFileSync(log, "utf8"), /"dropped":\d+,"reason":"ENOSPC"/);
      });
      assert.equal(await platform.server.stop(), 0);
    } finally {
      disk.free();
      await platform.remove();
    }
  });
});

async function until(what: string, attempt: () => Promise<unknown>): Promise<void> {
  for (const deadline = performance.now() + recoveryMs; ; await sleep(200)) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw new Error(`${what} did not succeed within ${recoveryMs} ms: ${String(error)}`);
    }
  }
}
