import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedPostgres, PostgresDatabase } from "@appserver/database-postgres";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { DatabaseError } from "@appserver/kernel/ports";
import { eventually, scaled, testPool } from "@appserver/testing/kit";
import { Code } from "@connectrpc/connect";
import { FaultyPlatform, prepareSampleApps } from "./faulty-platform.ts";
import { SmallDisk, skipWithoutDisk } from "./full-disk.ts";
import { SettingsWriter } from "./settings-writer.ts";

const fullMs = scaled(25_000);
const megabytes = 300;
const app = "com.example.notes";
const cases = [
  { what: "its data and its log", hasData: true, hasLog: true },
  { what: "only its data", hasData: true, hasLog: false },
  { what: "only its log", hasData: false, hasLog: true },
];

describe("a full disk", { skip: skipWithoutDisk }, () => {
  let disk: SmallDisk;
  before(async () => {
    await prepareSampleApps();
    disk = await SmallDisk.mount(megabytes);
  });
  after(() => disk?.unmount());

  test("the database driver: writes and pings fail with SERVICE_UNAVAILABLE until there is space", async () => {
    const [clock, logger] = [new SystemClock(), silentLogger];
    const postgres = new EmbeddedPostgres({ folder: join(disk.folder, "driver"), clock, logger });
    await postgres.start();
    const database = new PostgresDatabase({ ...testPool, connection: postgres.connection, clock, logger, poolSize: 2 });
    try {
      await database.query("create table filled (text text)");
      disk.fill();
      const grow = () =>
        database.query("insert into filled select repeat(md5(random()::text), 50) from generate_series(1, 2000)");
      await assert.rejects(grow(), (error) => error instanceof DatabaseError && error.reason === "unavailable");
      await assert.rejects(database.ping(5_000), /disk of the database is full|does not respond|terminat|recovery/);
      disk.free();
      await eventually(() => database.ping());
      await grow();
    } finally {
      await database.stop();
      await postgres.stop();
    }
  });

  for (const { what, hasData, hasLog } of cases)
    test(`appserver dev survives ${fullMs} ms with ${what} on it`, async (t) => {
      const elsewhere = hasData && hasLog ? undefined : mkdtempSync(join(tmpdir(), "large-disk-"));
      const platform = await FaultyPlatform.create({
        ...(hasData ? { parent: disk.folder } : {}),
        logFolder: hasLog ? disk.folder : elsewhere,
      });
      try {
        const { pid } = platform.watched;
        const { app: installed } = await platform.client().marketplace.installApp({ name: app });
        const writer = new SettingsWriter(() => platform.client(), installed?.id ?? "");
        await eventually(() => writer.write());
        const readiness = new Set<number>();
        const full = disk.keepFull(fullMs);
        const isOver = full.then(() => true);
        while (!(await Promise.race([isOver, sleep(100, false)]))) {
          await writer.tryWriting();
          const answer = await fetch(`${platform.server.httpUrl}/ready`).catch(() => undefined);
          await answer?.body?.cancel();
          readiness.add(answer?.status ?? 0);
        }
        t.diagnostic(`${writer.acknowledged} writes acknowledged, ${writer.refusals.length} refused; /ready ${[...readiness]}`);
        assert.ok(platform.watched.isRunning && platform.watched.pid === pid, "the server still runs");
        assert.deepEqual([...new Set(writer.refusals)], hasData ? [Code.Unavailable] : []);
        if (hasData) assert.ok(readiness.has(503), `/ready: ${[...readiness]}`);
        else assert.deepEqual([...readiness], [200]);
        await platform.server.ready();
        await eventually(() => writer.write());
        assert.equal(await writer.stored(), writer.acknowledged);
        const logFile = join(platform.dataDir, "server.log");
        assert.equal(statSync(logFile).mode & 0o777, 0o600);
        const hasDropped = () => /"dropped":\d+,"reason":"ENOSPC"/.test(readFileSync(logFile, "utf8"));
        if (hasLog) await eventually(async () => assert.ok(hasDropped()));
        else assert.equal(hasDropped(), false);
        assert.equal(await platform.watched.stop(), 0);
      } finally {
        disk.free();
        await platform.remove();
        if (elsewhere !== undefined) rmSync(elsewhere, { recursive: true });
      }
    });
});
