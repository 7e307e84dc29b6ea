import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { callBy, FakeClock, rejectsWith, SqlAuditLog } from "@appserver/testing/kit";
import type { ActivityContext } from "../src/use-cases/context.ts";
import { runScheduleNow } from "../src/use-cases/run-schedule-now.ts";
import { scheduleActivity } from "../src/use-cases/schedule-activity.ts";
import { setScheduleEnabled } from "../src/use-cases/set-schedule-enabled.ts";
import { ScheduleRunner } from "../src/workers/schedule-runner.ts";
import { admin, app, notes, startActivity, type TestActivity, testDefinition, unknown } from "./fixtures.ts";

describe("a run of a schedule, now", () => {
  let clock: FakeClock;
  let service: TestActivity;
  let context: ActivityContext;
  let id: string;

  beforeEach(async () => {
    clock = new FakeClock(Date.UTC(2026, 0, 1, 12));
    service = await startActivity([testDefinition({ name: "count" })], { clock, maxQueuedRunsPerApp: 3 });
    context = service.activity.context;
    const request = { appName: notes, activity: "count", key: "", input: { by: "api" }, enabled: true };
    const trigger = { cron: "*/5 * * * *", intervalSeconds: undefined, timezone: "UTC" };
    ({ id } = await scheduleActivity(context, { ...request, ...trigger }, callBy(app)));
  });
  afterEach(() => service.stop());

  const run = (schedule = id, caller: Caller = admin) => runScheduleNow(context, schedule, callBy(caller));
  const runs = async () => (await context.runReads.list({ appName: notes, status: undefined, limit: 50 })).items;

  test("has the input of the schedule, and leaves its next time", async () => {
    const started = await run();
    assert.deepEqual([started.status, started.triggeredBy, started.activity], ["QUEUED", "user:admin", "count"]);
    assert.equal((await context.runReads.values(started.id)).input, '{"by":"api"}');
    assert.equal((await context.schedules.find(id))?.nextRunAt.toISOString(), "2026-01-01T12:05:00.000Z");
    assert.notEqual((await run()).id, started.id, "each command starts a run");
    clock.jump(5 * 60_000);
    await new ScheduleRunner(context).run();
    assert.equal((await runs()).length, 3, "its time starts another run");
  });

  test("starts also while the schedule is paused, and does not resume it", async () => {
    await setScheduleEnabled(context, { id, enabled: false }, callBy(admin));
    await run();
    assert.equal((await runs()).length, 1);
    assert.equal((await context.schedules.find(id))?.paused, true);
  });

  test("is refused without the permission, for unknown schedules and activities, and while too many runs wait", async () => {
    for (const [caller, code] of [
      [{ kind: "user", id: "bob", displayName: "Bob" }, "PERMISSION_DENIED"],
      [{ kind: "app", name: "com.example.clock", id: "2" }, "NOT_FOUND"],
      [{ kind: "anonymous" }, "AUTHENTICATION_REQUIRED"],
    ] as const)
      for (const schedule of [id, unknown]) await assert.rejects(run(schedule, caller), rejectsWith(code));
    for (const missing of [unknown, "not-an-id"]) await assert.rejects(run(missing), rejectsWith("NOT_FOUND"));
    for (let waiting = 0; waiting < 3; waiting += 1) await run(id, app);
    await assert.rejects(run(), rejectsWith("RATE_LIMIT_EXCEEDED"));

    const installed = service.apps.get(notes) ?? assert.fail();
    service.apps.set(notes, { ...installed, activities: [] });
    await assert.rejects(run(), rejectsWith("NOT_FOUND", /declares no activity "count"/));
    service.apps.delete(notes);
    await assert.rejects(run(), rejectsWith("NOT_FOUND", /no app "com.example.notes" is installed/));
    assert.equal((await runs()).length, 3);
  });

  test("writes the audit entry of a trigger, with the schedule, for users only", async () => {
    const { id: runId } = await run();
    await run(id, app);
    const log = new SqlAuditLog({ database: service.database, clock });
    const entries = await log.read({ target: `app:${notes}`, limit: 50 });
    assert.deepEqual(
      entries.map(({ actor, action, details }) => ({ actor, action, details })),
      [{ actor: "user:admin", action: "activity.trigger", details: { activity: "count", runId, scheduleId: id } }],
    );
  });

  test("is returned on GraphQL", async () => {
    const { activity } = service;
    const shown = await activity.resolvers.Mutation.runScheduleNow(undefined, { id }, callBy(admin));
    assert.deepEqual([shown.appName, shown.activity, shown.status], [notes, "count", "QUEUED"]);
  });
});
