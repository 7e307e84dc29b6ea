import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { type Caller, isAppError, parseTraceparent } from "@appserver/kernel";
import { callBy, FakeClock, rejectsWith } from "@appserver/testing/kit";
import { deleteSchedule } from "../src/use-cases/delete-schedule.ts";
import { registerActivities } from "../src/use-cases/register-activities.ts";
import { scheduleActivity } from "../src/use-cases/schedule-activity.ts";
import { newRun } from "../src/use-cases/trigger-activity.ts";
import { ScheduleRunner } from "../src/workers/schedule-runner.ts";
import { app, declare, notes, startActivity, type TestActivity, testDefinition } from "./fixtures.ts";

const minute = 60_000;

describe("schedules", () => {
  let clock: FakeClock;
  let service: TestActivity | undefined;

  afterEach(async () => {
    await service?.stop();
    service = undefined;
  });

  test("an app has at most a thousand schedules beyond its manifest; existing ones may be changed", async () => {
    service = await startActivity([testDefinition({ name: "tidy" })]);
    const { context } = service.activity;
    const request = { appName: notes, activity: "tidy", input: undefined, enabled: true };
    const every = { cron: undefined, intervalSeconds: 3_600, timezone: "UTC" };
    await service.database.query(
      `insert into activity.schedules (id, app_name, activity, key, interval_seconds, timezone, enabled, declared, next_run_at, updated_at)
       select gen_random_uuid(), $1, 'tidy', 'key-' || n, 3600, 'UTC', true, false, now() + interval '1 hour', now()
       from generate_series(1, 1000) as n`,
      [notes],
    );
    await assert.rejects(scheduleActivity(context, { ...request, ...every, key: "one-more" }, callBy(app)), (error) =>
      isAppError(error, "RATE_LIMIT_EXCEEDED"),
    );
    await scheduleActivity(context, { ...request, ...every, key: "key-7" }, callBy(app));
    const clock = "com.example.clock";
    const first = { ...request, ...every, appName: clock, key: "first" };
    await scheduleActivity(context, first, callBy({ kind: "app", name: clock, id: "1" }));
  });

  const start = async (schedule?: { cron: string; timezone: string }) => {
    clock = new FakeClock(Date.UTC(2026, 0, 1, 12));
    const declared = schedule && { intervalSeconds: undefined, input: { by: "manifest" }, ...schedule };
    const definition = testDefinition({ name: "count", schedule: declared });
    service = await startActivity([definition], { clock });
    return service;
  };
  const request = { appName: notes, activity: "count", key: "", cron: "*/5 * * * *", intervalSeconds: undefined };
  const set = (more: object = {}) => {
    const whole = { ...request, timezone: "UTC", input: { by: "api" }, enabled: true, ...more };
    return scheduleActivity((service as TestActivity).activity.context, whole, callBy(app));
  };
  const runsOf = async () =>
    (await (service as TestActivity).activity.context.runReads.list({ appName: notes, status: undefined, limit: 50 })).items;

  test("a scheduled time starts one run on any number of replicas; one run replaces all missed times", async () => {
    const { activity, replica } = await start();
    const schedule = await set();
    assert.equal(schedule.nextRunAt.toISOString(), "2026-01-01T12:05:00.000Z");
    const other = await replica();
    clock.jump(4 * minute);
    await new ScheduleRunner(activity.context).run();
    assert.equal((await runsOf()).length, 0);
    clock.jump(minute);
    await Promise.all([new ScheduleRunner(activity.context).run(), new ScheduleRunner(other.context).run()]);
    await new ScheduleRunner(activity.context).run();
    assert.equal((await runsOf()).length, 1);
    clock.jump(60 * minute);
    await new ScheduleRunner(activity.context).run();
    await new ScheduleRunner(activity.context).run();
    const runs = await runsOf();
    assert.equal(runs.length, 2);
    assert.equal(runs[0]?.triggeredBy, `schedule:${schedule.id}`);
    const traces = new Set(runs.map(({ traceparent }) => parseTraceparent(traceparent)?.traceId));
    assert.deepEqual([traces.size, traces.has(undefined)], [2, false], "each run begins a trace");
    assert.equal((await activity.context.runReads.values(runs[0]?.id ?? "")).input, '{"by":"api"}');
    const [stored] = await activity.context.schedules.list(notes);
    assert.equal(stored?.nextRunAt.toISOString(), "2026-01-01T13:10:00.000Z");
  });

  test("a schedule that cannot be evaluated is postponed and shows why, and the others run in time", async () => {
    const { activity, database } = await start();
    const other = await set();
    // A time zone that this Node does not know, more of them than one turn takes, all due before the other one.
    await database.query(
      `insert into activity.schedules (id, app_name, activity, key, cron, timezone, enabled, declared, next_run_at, updated_at)
       select gen_random_uuid(), $1, 'count', 'poisoned-' || n, '0 9 * * *', 'Mars/Olympus', true, false, $2, now()
       from generate_series(1, 101) as n`,
      [notes, new Date(clock.now() + 4 * minute)],
    );
    clock.jump(5 * minute);
    const runner = new ScheduleRunner(activity.context);
    await runner.run();
    await runner.run();
    assert.deepEqual(
      (await runsOf()).map(({ triggeredBy }) => triggeredBy),
      [`schedule:${other.id}`],
    );
    const stored = (await activity.context.schedules.list(notes)).find(({ key }) => key === "poisoned-1");
    assert.equal(stored?.lastError, 'timezone must be an IANA time zone, got "Mars/Olympus"');
    assert.equal(stored.nextRunAt.getTime(), clock.now() + 5_000);
    clock.jump(5_000);
    await runner.run();
    const later = await activity.context.schedules.find(stored.id);
    assert.equal(later?.nextRunAt.getTime(), clock.now() + 10_000, "the pauses grow");
    const repaired = await set({ key: "poisoned-1" });
    assert.deepEqual([repaired.id, repaired.failures, repaired.lastError], [stored.id, 0, undefined]);
  });

  test("the same key replaces, another key adds, a disabled schedule starts nothing", async () => {
    const { activity } = await start();
    const first = await set();
    assert.equal((await set({ cron: undefined, intervalSeconds: 60 })).id, first.id);
    await set({ key: "second", enabled: false });
    assert.equal((await activity.context.schedules.list(notes)).length, 2);
    clock.jump(10 * minute);
    await new ScheduleRunner(activity.context).run();
    assert.equal((await runsOf()).length, 1);
  });

  test("the schedules of another release start runs from its commit on, and those that it does not declare start none", async () => {
    const { activity, database, apps } = await start({ cron: "0 3 * * *", timezone: "UTC" });
    const { context } = activity;
    await set();
    const known = apps.get(notes) ?? assert.fail();
    const declared = async () => (await context.schedules.list(notes)).filter(({ declared: is }) => is);
    await declare(service as TestActivity, known);
    const before = await declared();
    assert.deepEqual([before.length, before[0]?.cron], [1, "0 3 * * *"]);
    await declare(service as TestActivity, known);
    assert.deepEqual(await declared(), before);
    const write = await activity.declarations({ ...known, activities: [testDefinition({ name: "count" })] });
    await assert.rejects(
      database.transaction(async (tx) => {
        await write(tx);
        throw new Error("the switch failed");
      }),
    );
    assert.deepEqual(await declared(), before);
    clock.jump(16 * 60 * minute);
    const due = await context.schedules.due(new Date(clock.now()));
    await database.transaction(write);
    assert.equal(due.length, 2);
    for (const schedule of due) {
      const run = newRun(context, known, testDefinition({ name: "count" }), {
        by: `schedule:${schedule.id}`,
        traceparent: undefined,
      });
      const next = new Date(clock.now() + minute);
      const isStarted = await context.runs.enqueueScheduled(
        { run, runAt: undefined, input: undefined, audit: undefined },
        schedule,
        next,
      );
      assert.equal(isStarted, !schedule.declared, "a run that was due before the switch is not started after it");
    }
    assert.deepEqual(await declared(), []);
    assert.equal((await context.schedules.list(notes)).length, 1);
  });

  test("a schedule that the app registered replaces that of its manifest, also when the manifest changes", async () => {
    const { activity, apps } = await start({ cron: "0 3 * * *", timezone: "UTC" });
    const { context } = activity;
    const known = apps.get(notes) ?? assert.fail();
    const crons = async () => (await context.schedules.list(notes)).map(({ cron }) => cron);
    const schedule = { cron: "0 4 * * *", intervalSeconds: undefined, timezone: "UTC", input: undefined };
    await registerActivities(context, [testDefinition({ name: "count", schedule })], callBy(app));
    await declare(service as TestActivity, known);
    assert.deepEqual(await crons(), ["0 4 * * *"]);
    await registerActivities(context, [testDefinition({ name: "count" })], callBy(app));
    await declare(service as TestActivity, known);
    assert.deepEqual(await crons(), []);
  });

  test("a deleted schedule starts nothing, also if it was due; one of the manifest is not deleted", async () => {
    const { activity, apps } = await start({ cron: "0 3 * * *", timezone: "UTC" });
    const { context } = activity;
    await declare(service as TestActivity, apps.get(notes) ?? assert.fail());
    const { id } = await set();
    clock.jump(5 * minute);
    const due = await context.schedules.due(new Date(clock.now()));
    const remove = (schedule: string, caller: Caller = app) => deleteSchedule(context, schedule, callBy(caller));
    const stranger: Caller = { kind: "app", name: "com.example.clock", id: "2" };
    await assert.rejects(remove(id, stranger), rejectsWith("NOT_FOUND", /no schedule/));
    assert.equal((await remove(id)).key, "");
    await assert.rejects(remove(id), rejectsWith("NOT_FOUND", /no schedule/));
    const read = Object.assign(Object.create(context.schedules), { due: async () => due });
    await new ScheduleRunner({ ...context, schedules: read }).run();
    assert.equal((await runsOf()).length, 0);
    const [declared] = await context.schedules.list(notes);
    await assert.rejects(remove(declared?.id ?? ""), rejectsWith("INVALID_STATE", /pause it instead/));
  });

  test("schedules of a disabled app pause: their moments pass, and the next one after it is enabled starts a run", async () => {
    const { activity, apps } = await start();
    await set({ cron: undefined, intervalSeconds: 60 });
    const app = apps.get(notes);
    assert.ok(app);
    apps.set(notes, { ...app, isDisabled: true });
    clock.jump(10 * minute);
    await new ScheduleRunner(activity.context).run();
    apps.set(notes, app);
    await new ScheduleRunner(activity.context).run();
    assert.equal((await runsOf()).length, 0);
    clock.jump(minute);
    await new ScheduleRunner(activity.context).run();
    assert.equal((await runsOf()).length, 1);
  });

  test("schedules of an app that is not installed are skipped", async () => {
    const { activity, apps } = await start();
    await set();
    apps.delete(notes);
    activity.context.catalogue.invalidate(notes);
    clock.jump(5 * minute);
    await new ScheduleRunner(activity.context).run();
    assert.equal((await runsOf()).length, 0);
    const [stored] = await activity.context.schedules.list(notes);
    assert.equal(stored?.nextRunAt.toISOString(), "2026-01-01T12:10:00.000Z");
  });
});
