import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { callBy, eventually, FakeClock } from "@appserver/testing/kit";
import { scheduleActivity } from "../src/use-cases/schedule-activity.ts";
import { triggerActivity } from "../src/use-cases/trigger-activity.ts";
import { ScheduleRunner } from "../src/workers/schedule-runner.ts";
import { notes, startActivity, type TestActivity, testDefinition } from "./fixtures.ts";

const definition = testDefinition({ name: "plain" });

describe("waiting runs of an app", () => {
  const clock = new FakeClock();
  let service: TestActivity;

  before(async () => {
    service = await startActivity([definition], { clock, maxQueuedRunsPerApp: 3 });
  });
  after(() => service?.stop());

  const trigger = (appName: string) => {
    const caller: Caller = { kind: "app", name: appName, id: "1" };
    return triggerActivity(service.activity.context, { appName, activity: "plain", input: undefined }, callBy(caller));
  };

  test("are limited in number; other apps are not affected, and runs that start make room", async () => {
    for (let n = 0; n < 3; n++) await trigger(notes);
    await assert.rejects(trigger(notes), { code: "RATE_LIMIT_EXCEEDED", message: /has 3 or more runs/ });
    await trigger("com.example.clock");
    await service.activity.context.runs.claim({ appName: notes, definition, limit: 1 });
    await clock.advance(5_000);
    await eventually(() => trigger(notes));
    await assert.rejects(trigger(notes), { code: "RATE_LIMIT_EXCEEDED" });
  });

  test("schedules start none while too many wait", async () => {
    const { context } = service.activity;
    const every = { cron: undefined, intervalSeconds: 1, timezone: "UTC", key: "", input: undefined, enabled: true };
    const caller: Caller = { kind: "app", name: notes, id: "1" };
    const before = await scheduleActivity(context, { appName: notes, activity: "plain", ...every }, callBy(caller));
    const waiting = async () => (await context.runReads.list({ appName: notes, status: "QUEUED", limit: 50 })).items.length;
    assert.equal(await waiting(), 3);
    await clock.advance(2_000);
    await new ScheduleRunner(context).run();
    assert.equal(await waiting(), 3);
    assert.ok(((await context.schedules.find(before.id))?.nextRunAt ?? 0) > before.nextRunAt, "the time is skipped");
  });
});
