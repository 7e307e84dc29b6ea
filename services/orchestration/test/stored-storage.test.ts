import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { platformMigrations } from "@appserver/kernel";
import {
  createTestDatabase,
  recordsMigrations,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import { SqlDataRemovals } from "../src/adapters/sql-data-removals.ts";
import { SqlStorageRecords } from "../src/adapters/sql-storage-records.ts";
import { orchestrationMigrations } from "../src/index.ts";

const [appId, otherId] = ["0193b8f0-0000-7000-8000-000000000001", "0193b8f0-0000-7000-8000-000000000002"];
const appName = "com.example.notes";
const data = { name: "data", mountPath: "/data", size: "1Gi" };
const cache = { name: "Cache", mountPath: "/srv/cache", size: "100Mi" };
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

describe("stored storage", () => {
  let server: TestPostgres;
  let home: TestDatabase;
  before(async () => {
    server = await startTestPostgres();
    home = await createTestDatabase(server);
    await home.database.migrate([...platformMigrations, ...recordsMigrations, ...orchestrationMigrations]);
  });
  after(async () => {
    await home?.stop();
    await server?.stop();
  });

  test("records keep their age and size, and take the last declaration", async () => {
    const records = new SqlStorageRecords(home.database);
    assert.deepEqual(await records.summary(), { count: 0, measuredAt: undefined });
    await records.save(appId, [data, cache], at(1));
    await records.save(otherId, [data], at(2));
    const usage = [
      { appId, name: "data", usedBytes: 5_000_000_000_000 },
      { appId, name: "unknown", usedBytes: 1 },
    ];
    await records.saveUsage(usage, at(3));
    await records.save(appId, [{ ...data, mountPath: "/files", size: "2Gi" }], at(4));
    assert.deepEqual(await records.ofApp(appId), [
      { ...cache, createdAt: at(1), usedBytes: undefined, measuredAt: undefined },
      {
        ...{ name: "data", mountPath: "/files", size: "2Gi" },
        ...{ createdAt: at(1), usedBytes: 5_000_000_000_000, measuredAt: at(3) },
      },
    ]);
    assert.deepEqual(await records.summary(), { count: 3, measuredAt: at(3) });
    await records.remove(appId, "Cache");
    assert.deepEqual(
      (await records.ofApp(appId)).map(({ name }) => name),
      ["data"],
    );
    await records.remove(appId);
    assert.deepEqual([await records.ofApp(appId), (await records.ofApp(otherId)).length], [[], 1]);
  });

  test("requests to delete one storage and all data of an app are independent", async () => {
    const removals = new SqlDataRemovals(home.database);
    const all = { appId, appName, generation: 2 };
    const deploymentId = "0193b8f0-0000-7000-8000-0000000000d1";
    const one = { appId, appName, storage: "data", deploymentId };
    await removals.request({ ...one, deploymentId: undefined }, at(1));
    assert.deepEqual(await removals.ofApp(appName), [{ ...one, deploymentId: undefined }]);
    for (const removal of [one, all, { ...one, storage: "cache" }, { ...one, appId: otherId, appName: "other" }])
      await removals.request(removal, at(2));
    assert.deepEqual((await removals.appNames()).toSorted(), [appName, "other"]);
    await removals.done(one);
    assert.deepEqual(await removals.ofApp(appName), [all, { ...one, storage: "cache" }]);
    await removals.done(all);
    assert.deepEqual(await removals.ofApp(appName), [{ ...one, storage: "cache" }]);
    assert.equal((await removals.ofApp("other")).length, 1);
  });
});
