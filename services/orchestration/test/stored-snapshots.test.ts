import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AppSnapshot, SnapshotReason } from "@appserver/contracts/deployments";
import { platformMigrations, uuidv7 } from "@appserver/kernel";
import {
  createTestDatabase,
  FakeClock,
  recordsMigrations,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import { SqlAppSnapshots } from "../src/adapters/sql-app-snapshots.ts";
import { SqlSnapshotRecords } from "../src/adapters/sql-snapshot-records.ts";
import { orchestrationMigrations } from "../src/index.ts";

const result = { pausedMs: 1_200, databaseBytes: 5_000_000_000_000, storage: [{ name: "data", usedBytes: 7 }] };

describe("stored snapshots", () => {
  let server: TestPostgres;
  let home: TestDatabase;
  let snapshots: SqlAppSnapshots;
  let records: SqlSnapshotRecords;
  const clock = new FakeClock();
  const writer = { appName: "com.example.notes", fence: 1 };
  before(async () => {
    server = await startTestPostgres();
    home = await createTestDatabase(server);
    await home.database.migrate([...platformMigrations, ...recordsMigrations, ...orchestrationMigrations]);
    snapshots = new SqlAppSnapshots({ database: home.database, clock });
    records = new SqlSnapshotRecords(home.database);
  });
  after(async () => {
    await home?.stop();
    await server?.stop();
  });

  const now = (): Date => new Date(clock.now());
  const appOf = (appId = uuidv7()) => ({ appId, appName: writer.appName, appVersion: "1.0.0", manifestDigest: "digest-1" });
  const complete = async (appId: string, reason: SnapshotReason, expiresAt?: Date): Promise<AppSnapshot> => {
    await clock.advance(1_000);
    const asked = await snapshots.request({ ...appOf(appId), reason, label: "before the change", actor: "u1", expiresAt });
    await records.setRunning(writer, asked.id, true);
    await records.complete(writer, asked.id, result, now());
    return asked;
  };

  test("a snapshot is work until it is complete, then it is listed with what it contains", async () => {
    const app = appOf();
    const asked = await snapshots.request({ ...app, reason: "manual" });
    await assert.rejects(snapshots.request({ ...app, reason: "manual" }), { code: "CONFLICT" });
    await snapshots.request({ ...app, reason: "backup" });
    await assert.rejects(snapshots.remove(asked.id), { code: "CONFLICT" });
    assert.ok((await records.appNames()).includes(writer.appName));
    await records.setRunning(writer, asked.id, true);
    const work = await records.work(writer.appName, undefined);
    assert.deepEqual(
      work.snapshots.filter(({ appId }) => appId === app.appId).map(({ reason, state }) => [reason, state]),
      [
        ["manual", "RUNNING"],
        ["backup", "PENDING"],
      ],
    );
    const finished = snapshots.finished(asked.id, new AbortController().signal);
    await records.complete(writer, asked.id, result, now());
    await records.fail(writer, asked.id, "too late", now());
    while (clock.sleeping === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(500);
    assert.partialDeepStrictEqual(await finished, { ...result, state: "COMPLETED", error: undefined });
    assert.deepEqual(
      (await snapshots.list(app.appId)).map(({ reason }) => reason),
      ["backup", "manual"],
    );
  });

  test("a restore is requested of a complete snapshot, once, with a snapshot of what is there", async () => {
    const app = appOf();
    const pending = await snapshots.request({ ...app, reason: "backup" });
    await assert.rejects(snapshots.restore({ snapshotId: pending.id, app }), { code: "INVALID_STATE" });
    await assert.rejects(snapshots.restore({ snapshotId: uuidv7(), app }), { code: "NOT_FOUND" });
    const kept = await complete(app.appId, "manual");
    const restore = await snapshots.restore({ snapshotId: kept.id, app, actor: "u1" });
    await assert.rejects(snapshots.restore({ snapshotId: kept.id, app }), { code: "CONFLICT" });
    await assert.rejects(snapshots.remove(kept.id), { code: "CONFLICT" });
    assert.partialDeepStrictEqual(await snapshots.get(restore.undoId), { reason: "restore", state: "PENDING", actor: "u1" });
    await records.finishRestore(writer, restore.id, "the disk is full", now());
    assert.partialDeepStrictEqual(await snapshots.getRestore(restore.id), { state: "FAILED", error: "the disk is full" });
    await snapshots.remove(kept.id);
    assert.equal(await snapshots.get(kept.id), undefined);
    const { removals } = await records.work(writer.appName, undefined);
    assert.deepEqual(
      removals.filter(({ appId }) => appId === app.appId).map(({ id }) => id),
      [kept.id],
    );
    await records.remove(writer, kept.id);
    await snapshots.remove(kept.id);
  });

  test("automatic snapshots are deleted before manual ones, and never the newest or those that expire", async () => {
    const { appId } = appOf();
    const made: Record<string, string> = {};
    for (const reason of ["manual", "upgrade", "manual", "manual", "upgrade"] as const)
      made[`${reason} ${Object.keys(made).length}`] = (await complete(appId, reason)).id;
    made["backup 5"] = (await complete(appId, "backup", now())).id;
    const left = async (): Promise<readonly string[]> => {
      const ids = new Set((await snapshots.list(appId)).map(({ id }) => id));
      return Object.keys(made).filter((name) => ids.has(made[name] ?? ""));
    };
    await records.removeSurplus(writer, appId, 4, now());
    assert.deepEqual(await left(), ["manual 0", "manual 2", "manual 3", "upgrade 4", "backup 5"]);
    await records.removeSurplus(writer, appId, 2, now());
    assert.deepEqual(await left(), ["manual 3", "upgrade 4", "backup 5"]);
    assert.deepEqual(await records.expire(now()), [writer.appName]);
    assert.deepEqual(await left(), ["manual 3", "upgrade 4"]);
  });

  test("an orchestrator that has lost the app's lease changes nothing", async () => {
    const asked = await snapshots.request({ ...appOf(), reason: "manual" });
    await records.setRunning({ ...writer, fence: 2 }, asked.id, true);
    await assert.rejects(records.complete(writer, asked.id, result, now()), { code: "CONFLICT" });
    assert.equal((await snapshots.get(asked.id))?.state, "RUNNING");
  });
});
