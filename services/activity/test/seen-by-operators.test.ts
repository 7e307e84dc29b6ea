import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { type Caller, SystemClock } from "@appserver/kernel";
import { callBy, eventually, SqlAuditLog } from "@appserver/testing/kit";
import type { Outcome } from "../src/domain/run-outcome.ts";
import { deleteSchedule } from "../src/use-cases/delete-schedule.ts";
import { cancelRun } from "../src/use-cases/read-runs.ts";
import { scheduleActivity } from "../src/use-cases/schedule-activity.ts";
import { triggerActivity } from "../src/use-cases/trigger-activity.ts";
import { admin, app, notes, startActivity, type TestActivity, testDefinition } from "./fixtures.ts";

const plain = testDefinition({ name: "plain", maxRetries: 1 });
const once = testDefinition({ name: "once", maxRetries: 0 });
const failed: Outcome = { kind: "failed", error: { code: "BROKEN", message: "it broke" } };
const completed: Outcome = { kind: "completed", output: "null" };

describe("metrics and audit entries of activities, on PostgreSQL", () => {
  let service: TestActivity;

  beforeEach(async () => {
    service = await startActivity([plain, once]);
  });
  afterEach(() => service.stop());

  const trigger = (activity: string, caller: Caller = app, more: { input?: unknown; runAt?: Date; key?: string } = {}) =>
    triggerActivity(
      service.activity.context,
      {
        ...{ appName: notes, activity, input: more.input },
        ...{ runAt: more.runAt, idempotencyKey: more.key },
      },
      callBy(caller),
    );
  const claim = async (definition: typeof plain) => {
    const [claimed] = await service.activity.context.runs.claim({ appName: notes, definition, limit: 1 });
    return claimed ?? assert.fail("nothing waits");
  };
  const work = async (definition: typeof plain, outcome: Outcome) => {
    const { run } = await claim(definition);
    const assigned = { appName: notes, runId: run.id, attempt: run.attempt };
    assert.deepEqual(await service.activity.context.runs.finish([{ ...assigned, outcome }]), [true]);
    return assigned;
  };
  const ended = (outcome: string): number => service.metrics.value(metricCatalogue.activityRuns, { app: notes, outcome });
  const timed = (outcome: string): number => service.metrics.value(metricCatalogue.activityRunDuration, { outcome });
  const unfinished = async () =>
    Object.fromEntries(
      (await service.metrics.readings(metricCatalogue.activityRunsUnfinished)).map(({ labels, value }) => [
        labels["status"],
        value,
      ]),
    );

  test("count runs by their end, once; durations of started runs; retries", async () => {
    await trigger("once");
    const assigned = await work(once, completed);
    // Repeated, because the response was lost.
    await service.activity.context.runs.finish([{ ...assigned, outcome: completed }]);
    await trigger("once");
    await work(once, failed);
    await trigger("plain");
    await work(plain, failed);
    const waiting = await trigger("once");
    await cancelRun(service.activity.context, waiting.id, callBy(app));
    const late = await trigger("once");
    await claim(once);
    await service.database.query("update activity.runs set deadline_at = now() - interval '1 s' where id = $1", [late.id]);
    await service.activity.context.runs.endOverdue([{ appName: notes, runId: late.id, attempt: 1 }], [late.id]);
    const names = ["completed", "failed", "canceled", "timed_out", "crashed", "expired"];
    assert.deepEqual(names.map(ended), [1, 1, 1, 1, 0, 0]);
    assert.deepEqual(names.map(timed), [1, 1, 0, 1, 0, 0]);
    assert.equal(service.metrics.value(metricCatalogue.activityRetries, { app: notes }), 1);
  });

  test("count unfinished runs, and workers while their streams are open", async () => {
    assert.deepEqual(await unfinished(), { delayed: 0, queued: 0, running: 0 });
    await trigger("plain");
    await trigger("plain");
    await trigger("once", app, { runAt: new Date(Date.now() + 3_600_000) });
    await claim(plain);
    assert.deepEqual(await unfinished(), { delayed: 1, queued: 1, running: 1 });

    const workers = (): number => service.metrics.value(metricCatalogue.activityWorkers, { app: notes });
    const abort = new AbortController();
    const silent: AsyncIterable<never> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const stream = service.activity.grpc.work(silent, callBy(app, { signal: abort.signal }));
    const next = stream.next();
    // The catalogue looks up its app first.
    await eventually(() => assert.equal(workers(), 1));
    abort.abort();
    assert.equal((await next).done, true);
    assert.equal(workers(), 0);
  });

  test("record triggers, cancels and schedules of users once, without inputs, but none of apps", async () => {
    const input = "canary-of-the-input";
    const first = await trigger("plain", admin, { input, key: "one" });
    await trigger("plain", admin, { input, key: "one" });
    const own = await trigger("plain", app, { input });
    await cancelRun(service.activity.context, first.id, callBy(admin));
    await cancelRun(service.activity.context, first.id, callBy(admin));
    await cancelRun(service.activity.context, own.id, callBy(app));
    const schedule = (caller: Caller, enabled: boolean) =>
      scheduleActivity(
        service.activity.context,
        {
          ...{ appName: notes, activity: "plain", key: "nightly", input, enabled },
          ...{ cron: "0 3 * * *", intervalSeconds: undefined, timezone: "UTC" },
        },
        callBy(caller),
      );
    await schedule(app, true);
    const { id: scheduleId } = await schedule(admin, true);
    await schedule(admin, false);
    await deleteSchedule(service.activity.context, scheduleId, callBy(admin));
    const ofApp = await schedule(app, true);
    await deleteSchedule(service.activity.context, ofApp.id, callBy(app));

    const log = new SqlAuditLog({ database: service.database, clock: new SystemClock() });
    const entries = await log.read({ target: `app:${notes}`, limit: 50 });
    const by = { actor: "user:admin", outcome: "success" };
    assert.deepEqual(entries.map(({ actor, outcome, action, details }) => ({ actor, outcome, action, details })).reverse(), [
      { ...by, action: "activity.trigger", details: { activity: "plain", runId: first.id } },
      { ...by, action: "activity.cancel", details: { activity: "plain", runId: first.id } },
      { ...by, action: "activity.schedule", details: { activity: "plain", scheduleId, key: "nightly" } },
      { ...by, action: "activity.unschedule", details: { activity: "plain", scheduleId, key: "nightly" } },
      { ...by, action: "activity.delete_schedule", details: { activity: "plain", scheduleId, key: "nightly" } },
    ]);
    assert.equal((await log.read({ limit: 50 })).length, entries.length);
    assert.ok(!JSON.stringify(entries).includes("canary"));
  });
});
