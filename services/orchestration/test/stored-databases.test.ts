import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { platformMigrations } from "@appserver/kernel";
import {
  createTestDatabase,
  recordsMigrations,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import { SqlDatabaseRecords } from "../src/adapters/sql-database-records.ts";
import { orchestrationMigrations } from "../src/index.ts";
import { DatabaseMeter } from "../src/workers/database-meter.ts";
import { desiredApp, options } from "./fixtures.ts";
import { ReconcileFixture } from "./reconcile-fixture.ts";

const { id: appId, name: appName } = desiredApp();

describe("stored sizes of databases", () => {
  let server: TestPostgres;
  let home: TestDatabase;
  let records: SqlDatabaseRecords;
  let fixture: ReconcileFixture;
  before(async () => {
    server = await startTestPostgres();
    home = await createTestDatabase(server);
    await home.database.migrate([...platformMigrations, ...recordsMigrations, ...orchestrationMigrations]);
    records = new SqlDatabaseRecords(home.database);
  });
  after(async () => {
    await home?.stop();
    await server?.stop();
  });
  beforeEach(async () => {
    fixture = new ReconcileFixture();
    await fixture.reconcile();
    await records.replace([], new Date(0));
  });

  const meterOf = (owns: boolean): DatabaseMeter => {
    const { databases, orchestrationContext } = fixture;
    return new DatabaseMeter({ ...orchestrationContext, databases, databaseRecords: records, owns: () => owns });
  };
  const next = () => fixture.clock.advance(options.databaseSizeIntervalMs);
  const now = () => new Date(fixture.clock.now());

  test("the time since when a database is full is kept while it is full, and removed databases are forgotten", async () => {
    const [meter, { databases }] = [meterOf(true), fixture];
    databases.sizes.set(appId, 5_000_000_000_000);
    databases.sizes.set("of no app", 1);
    await meter.measure();
    const since = now();
    const stored = { appId, appName, usedBytes: 5_000_000_000_000, limitBytes: 100, fullSince: since, measuredAt: since };
    assert.deepEqual(await records.all(), [stored]);
    await next();
    databases.sizes.set(appId, 101);
    await meter.measure();
    assert.deepEqual(await records.ofApp(appId), { ...stored, usedBytes: 101, measuredAt: now() });
    await next();
    databases.sizes.set(appId, 100);
    await meter.measure();
    assert.deepEqual(await records.ofApp(appId), { ...stored, usedBytes: 100, fullSince: undefined, measuredAt: now() });
    await next();
    databases.sizes.clear();
    await meter.measure();
    assert.deepEqual([await records.all(), await records.ofApp(appId)], [[], undefined]);
  });

  test("one orchestrator measures at an interval, and each shows the databases of its apps", async () => {
    const [one, other, { databases }] = [meterOf(true), meterOf(false), fixture];
    databases.sizes.set(appId, 50);
    for (const meter of [one, other]) await meter.measure();
    assert.equal(databases.measurements, 1);
    assert.deepEqual(
      [one, other].map((meter) => meter.sizes().map(({ usedBytes }) => usedBytes)),
      [[50], []],
    );
    await next();
    fixture.isLeaseTaken = true;
    await one.measure();
    assert.equal(databases.measurements, 1, "another orchestrator measures");
    fixture.isLeaseTaken = false;
    await other.measure();
    assert.equal(databases.measurements, 2);
  });
});
