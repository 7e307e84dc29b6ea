import assert from "node:assert/strict";
import { after, before, beforeEach, suite, test } from "node:test";
import { type Caller, platformMigrations, SqlLeases, SqlOutbox, silentLogger } from "@appserver/kernel";
import {
  callBy,
  createTestDatabase,
  FakeClock,
  recordsMigrations,
  rejectsWith,
  SqlAuditLog,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import { backupsMigrations } from "../migrations/index.ts";
import { SqlBackupRecords } from "../src/adapters/sql-backup-records.ts";
import { createBackups } from "../src/index.ts";
import { BackupSchedule } from "../src/workers/backup-schedule.ts";

const result = { location: "/backups/a.age", bytes: 5_000_000_000, notOfOneMoment: ["a note"] };
const night = Date.parse("2026-03-05T02:30:00Z");

suite("backups of the platform", () => {
  let server: TestPostgres;
  let home: TestDatabase;
  let clock: FakeClock;
  const never = new AbortController().signal;
  before(async () => {
    server = await startTestPostgres();
    home = await createTestDatabase(server);
    await home.database.migrate([...platformMigrations, ...recordsMigrations, ...backupsMigrations]);
  });
  after(async () => {
    await home?.stop();
    await server?.stop();
  });
  beforeEach(async () => {
    clock = new FakeClock(night - 3_600_000);
    await home.database.query("truncate backups.runs, backups.plan, platform.outbox, platform.leases");
  });

  const parts = () => {
    const { database } = home;
    const leases = new SqlLeases({ database, holder: "test" });
    return { database, outbox: new SqlOutbox(), leases, source: "/appserver/test", clock };
  };
  const backups = () => createBackups(parts());
  const events = async () => {
    const { rows } = await home.database.query<{ type: string; error: string | null }>(
      "select event->>'type' as type, event->'body'->>'error' as error from platform.outbox order by 1, 2",
    );
    return rows;
  };

  test("a backup is recorded with its result and its event", async () => {
    await backups().run(async () => result);
    const [record] = await backups().records.list(10);
    assert.partialDeepStrictEqual(record, { state: "COMPLETED", ...result });
    await backups().records.tested(result.location, new Date(clock.now()));
    assert.deepEqual((await backups().records.list(1))[0]?.testedAt, new Date(clock.now()));
    assert.deepEqual(await events(), [{ type: "backup.completed", error: null }]);
  });

  test("a failed backup is recorded with the reason, also one whose process was killed", async () => {
    await assert.rejects(
      backups().run(() => Promise.reject(new Error("the disk is full"))),
      /the disk is full/,
    );
    await backups().records.begin("019f0000-0000-7000-8000-000000000001", new Date(clock.now()));
    await backups().run(async () => result);
    const reasons = (await backups().records.list(10)).map(({ state, error }) => [state, error]);
    assert.deepEqual(reasons.sort(), [
      ["COMPLETED", undefined],
      ["FAILED", "its process ended before the backup was complete"],
      ["FAILED", "the disk is full"],
    ]);
    assert.equal((await events()).filter(({ type, error }) => type === "backup.failed" && error !== null).length, 2);
  });

  test("a second backup at the same time is refused", async () => {
    await backups().run(async () => {
      await assert.rejects(
        backups().run(async () => result),
        rejectsWith("CONFLICT", /another backup/),
      );
      return result;
    });
    assert.equal((await backups().records.list(10)).length, 1);
  });

  test("the schedule makes one backup for each of its times, and what was requested", async () => {
    const made: string[] = [];
    const records = new SqlBackupRecords(parts());
    const make = async () => {
      made.push("made");
      return result;
    };
    const command = { run: async () => void (await backups().run(make)) };
    const schedule = new BackupSchedule({
      ...parts(),
      records,
      command,
      plan: { schedule: "30 2 * * *" },
      logger: silentLogger,
    });
    await schedule.look(never);
    assert.equal(made.length, 0, "nothing is due before the first time");
    await clock.advance(3_600_000);
    await schedule.look(never);
    await schedule.look(never);
    assert.equal(made.length, 1);
    await records.request({ id: "019f0000-0000-7000-8000-000000000002", requestedAt: new Date(clock.now()) });
    await schedule.look(never);
    assert.equal(made.length, 2);
    await clock.advance(24 * 3_600_000);
    await schedule.look(never);
    assert.equal(made.length, 3);
  });

  test("people request one backup at a time, if the platform can make one", async () => {
    const [ada, bob] = ["ada", "bob"].map((id): Caller => ({ kind: "user", id, displayName: id }));
    const permissions = { require: async () => {}, allowed: async (caller: Caller) => caller === ada };
    const audit = new SqlAuditLog({ database: home.database, clock });
    const { Mutation, Query } = createBackups({ ...parts(), audit }).resolvers(permissions as never);
    const start = (caller = ada) => Mutation.startBackup(undefined, undefined, callBy(caller as Caller));
    const summary = () => Query.backupSummary(undefined, undefined, callBy(ada as Caller));
    await assert.rejects(start(bob), rejectsWith("PERMISSION_DENIED", /backup:manage/));
    await assert.rejects(start(), rejectsWith("INVALID_STATE", /backup\.to/));
    const { records } = backups();
    await records.storePlan({ target: "/backups/", problem: "no key" });
    await assert.rejects(start(), rejectsWith("INVALID_STATE", /no key/));
    await records.storePlan({ target: "/backups/", schedule: "30 2 * * *" });
    const requested = await start();
    assert.deepEqual([requested.state, (await start()).id], ["REQUESTED", requested.id]);
    const entries = await audit.read({ limit: 5 });
    assert.deepEqual([...new Set(entries.map(({ action, actor }) => `${action} ${actor}`))], ["backup.start user:ada"]);
    await backups().run(async () => result);
    await records.tested(result.location, new Date(clock.now()));
    assert.partialDeepStrictEqual(await summary(), {
      target: "/backups/",
      schedule: "30 2 * * *",
      lastCompleted: { id: requested.id, bytes: result.bytes, startedAt: new Date(clock.now()) },
      lastTested: { id: requested.id },
    });
    const page = await Query.backups(undefined, { first: 1 }, callBy(ada as Caller));
    assert.deepEqual([page.edges.map(({ node }) => node.id), await page.count()], [[requested.id], 1]);
  });

  test("a command that ends without a record makes the backup FAILED", async () => {
    const records = new SqlBackupRecords(parts());
    const command = { run: () => Promise.reject(new Error("no such file: passphrase")) };
    const schedule = new BackupSchedule({ ...parts(), records, command, plan: {}, logger: silentLogger });
    await records.request({ id: "019f0000-0000-7000-8000-000000000003", requestedAt: new Date(clock.now()) });
    await schedule.look(never);
    assert.deepEqual(
      (await records.list(10)).map(({ state, error }) => [state, error]),
      [["FAILED", "no such file: passphrase"]],
    );
  });
});
