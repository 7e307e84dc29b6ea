import assert from "node:assert/strict";
import { test } from "node:test";
import { platformMigrations, uuidv7 } from "@appserver/kernel";
import { createTestDatabase, FakeClock, recordsMigrations, startTestPostgres } from "@appserver/testing/kit";
import { SqlSnapshotRecords } from "../src/adapters/sql-snapshot-records.ts";
import { createAppSnapshots, createSnapshotImports, orchestrationMigrations } from "../src/index.ts";

test("an import is a snapshot once it is complete; one that was left is deleted by the next one, or when it expires", async (t) => {
  const server = await startTestPostgres();
  const home = await createTestDatabase(server);
  t.after(async () => {
    await home.stop();
    await server.stop();
  });
  const { database } = home;
  await database.migrate([...platformMigrations, ...recordsMigrations, ...orchestrationMigrations]);
  const clock = new FakeClock();
  const snapshots = createAppSnapshots({ database, clock });
  const imports = createSnapshotImports({ database, clock });
  const records = new SqlSnapshotRecords(database);
  const app = { appId: uuidv7(), appName: "com.example.notes", appVersion: "1.0.0", manifestDigest: "digest-1" };
  const expiresAt = new Date(clock.now() + 60_000);
  const begin = (appId = app.appId) => imports.begin({ ...app, appId, label: "of a file", expiresAt });
  const removals = async () => (await records.work(app.appName, undefined)).removals.map(({ id }) => id);

  const first = await begin();
  const ofAnother = await begin(uuidv7());
  await assert.rejects(snapshots.restore({ snapshotId: first.id, app }), { code: "INVALID_STATE" });
  assert.deepEqual(await removals(), []);
  const second = await begin();
  assert.deepEqual(await removals(), [first.id]);
  const data = { databaseBytes: 5_000_000_000_000, storage: [{ name: "data", usedBytes: 7 }], pausedMs: 12 };
  await assert.rejects(imports.complete(first.id, data), { code: "NOT_FOUND" });
  await imports.complete(second.id, data);
  assert.partialDeepStrictEqual(await snapshots.get(second.id), {
    ...data,
    state: "COMPLETED",
    error: undefined,
    reason: "backup",
  });

  await snapshots.restore({ snapshotId: second.id, app });
  await begin();
  assert.deepEqual(await removals(), [first.id], "one that is complete stays");
  await clock.advance(60_000);
  await records.expire(new Date(clock.now()));
  const expired = await removals();
  assert.ok(expired.includes(ofAnother.id));
  assert.ok(!expired.includes(second.id), "while it is restored");
});
