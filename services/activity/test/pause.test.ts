import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { callBy, FakeClock, rejectsWith, SqlAuditLog } from "@appserver/testing/kit";
import type { Catalogue } from "../src/ports.ts";
import type { ActivityContext } from "../src/use-cases/context.ts";
import { registerActivities } from "../src/use-cases/register-activities.ts";
import { scheduleActivity } from "../src/use-cases/schedule-activity.ts";
import { setScheduleEnabled } from "../src/use-cases/set-schedule-enabled.ts";
import { ScheduleRunner } from "../src/workers/schedule-runner.ts";
import { admin, app, declare, notes, startActivity, type TestActivity, testDefinition, unknown } from "./fixtures.ts";

const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
const minute = 60_000;

const declaring = (cron: string) =>
  testDefinition({
    name: "report",
    schedule: { cron, intervalSeconds: undefined, timezone: "UTC", input: { by: "manifest" } },
  });

describe("the pause of a schedule", () => {
  let clock: FakeClock;
  let service: TestActivity;
  let context: ActivityContext;

  beforeEach(async () => {
    clock = new FakeClock(Date.UTC(2026, 0, 1, 12));
    service = await startActivity([testDefinition({ name: "count" }), declaring("*/5 * * * *")], { clock });
    context = service.activity.context;
    await declare(service, service.apps.get(notes) ?? assert.fail());
  });
  afterEach(() => service.stop());

  const set = (more: Partial<Parameters<typeof scheduleActivity>[1]> = {}) =>
    scheduleActivity(
      context,
      {
        ...{ appName: notes, activity: "count", key: "", input: { by: "api" }, enabled: true },
        ...{ cron: "*/5 * * * *", intervalSeconds: undefined, timezone: "UTC", ...more },
      },
      callBy(app),
    );
  const enable = (id: string, enabled: boolean, caller: Caller = admin) =>
    setScheduleEnabled(context, { id, enabled }, callBy(caller));
  const stored = async (id: string) => (await context.schedules.find(id)) ?? assert.fail("the schedule was deleted");
  const declared = async () =>
    (await context.schedules.list(notes)).find((schedule) => schedule.declared) ?? assert.fail("it was not created");
  const runsOf = async (id: string) => {
    const { items } = await context.runReads.list({ appName: notes, status: undefined, limit: 50 });
    return items.filter(({ triggeredBy }) => triggeredBy === `schedule:${id}`).length;
  };

  test("stops its times until a user resumes it; the next time counts from then", async () => {
    const { id } = await set();
    assert.equal((await enable(id, false)).paused, true);
    clock.jump(62 * minute);
    await new ScheduleRunner(context).run();
    assert.equal(await runsOf(id), 0);
    const resumed = await enable(id, true);
    assert.equal(resumed.nextRunAt.toISOString(), "2026-01-01T13:05:00.000Z");
    await new ScheduleRunner(context).run();
    assert.equal(await runsOf(id), 0, "times that passed are not made up for");
    clock.jump(3 * minute);
    await new ScheduleRunner(context).run();
    assert.equal(await runsOf(id), 1);
  });

  test("ends once: to resume a schedule again does not move its next time", async () => {
    const { id, nextRunAt } = await set({ cron: undefined, intervalSeconds: 600 });
    clock.jump(minute);
    assert.deepEqual((await enable(id, true)).nextRunAt, nextRunAt);
    await enable(id, false);
    const resumed = await enable(id, true);
    assert.equal(resumed.nextRunAt.getTime(), clock.now() + 10 * minute);
    clock.jump(minute);
    assert.deepEqual((await enable(id, true)).nextRunAt, resumed.nextRunAt);
  });

  test("survives that the app sets, registers and upgrades its schedules, and a restart", async () => {
    const [own, ofManifest] = [await set(), await declared()];
    for (const { id } of [own, ofManifest]) await enable(id, false);

    const again = await set({ cron: "*/2 * * * *" });
    assert.deepEqual([again.id, again.cron, again.enabled, again.paused], [own.id, "*/2 * * * *", true, true]);
    for (const cron of ["*/5 * * * *", "*/3 * * * *"]) {
      await registerActivities(context, [declaring(cron)], callBy(app));
      assert.deepEqual([(await declared()).cron, (await declared()).paused], [cron, true]);
    }
    const installed = service.apps.get(notes) ?? assert.fail();
    const next = testDefinition({ name: "count", schedule: declaring("* * * * *").schedule });
    const upgraded = { ...installed, version: "2.0.0", activities: [next] };
    service.apps.set(notes, upgraded);
    const restarted = await service.replica();
    await declare(service, upgraded);
    clock.jump(30 * minute);
    await new ScheduleRunner(restarted.context).run();

    for (const { id } of [own, ofManifest]) {
      assert.equal((await stored(id)).paused, true);
      assert.equal(await runsOf(id), 0);
    }
  });

  test("is not undone by the app, and does not replace what the app wants", async () => {
    const { id } = await set();
    await enable(id, false);
    const states = async (caller: Caller, enabled: boolean) => {
      const after = await enable(id, enabled, caller);
      return [after.enabled, after.paused];
    };
    assert.deepEqual(await states(app, true), [true, true]);
    assert.deepEqual(await states(app, false), [false, true]);
    assert.deepEqual(await states(admin, true), [false, false]);
    clock.jump(10 * minute);
    await new ScheduleRunner(context).run();
    assert.equal(await runsOf(id), 0);
    assert.deepEqual(await states(app, true), [true, false]);
    assert.equal((await stored(id)).nextRunAt.toISOString(), "2026-01-01T12:15:00.000Z");
  });

  /** Interrupts a pass of the worker after it has read the due schedules. */
  const passInterruptedBy = (work: () => Promise<unknown>): Promise<void> => {
    const { catalogue } = context;
    const activity: Catalogue["activity"] = async (...of) => {
      await work();
      return catalogue.activity(...of);
    };
    return new ScheduleRunner({ ...context, catalogue: { activity } as Catalogue }).run();
  };

  for (const [name, interruptions] of [
    ["pause", [false]],
    ["pause and resume", [false, true]],
  ] as const)
    test(`a ${name} while a worker starts the schedule prevents the run`, async () => {
      const { id } = await set();
      const other = await declared();
      clock.jump(7 * minute);
      await enable(other.id, false);
      await passInterruptedBy(async () => {
        for (const enabled of interruptions) await enable(id, enabled);
      });
      await new ScheduleRunner(context).run();
      assert.equal(await runsOf(id), 0);
    });

  test("holds on two replicas: neither starts a run after the response", async () => {
    const other = await service.replica();
    const { id } = await set();
    for (let round = 0; round < 10; round += 1) {
      clock.jump(5 * minute);
      const passes = [new ScheduleRunner(context).run(), new ScheduleRunner(other.context).run()];
      await enable(id, false);
      const before = await runsOf(id);
      await Promise.all(passes);
      assert.equal(await runsOf(id), before);
      await enable(id, true);
    }
  });

  test("needs the permission, or the app itself", async () => {
    const { id } = await set();
    const foreign: Caller = { kind: "app", name: "com.example.clock", id: "2" };
    for (const [caller, code] of [
      [bob, "PERMISSION_DENIED"],
      [foreign, "NOT_FOUND"],
      [{ kind: "anonymous" }, "AUTHENTICATION_REQUIRED"],
    ] as const) {
      await assert.rejects(enable(id, false, caller), rejectsWith(code));
      await assert.rejects(enable(unknown, false, caller), rejectsWith(code));
    }
    for (const missing of [unknown, "not-an-id"])
      await assert.rejects(enable(missing, false), rejectsWith("NOT_FOUND", new RegExp(`there is no schedule "${missing}"`)));
    assert.equal((await stored(id)).paused, false);
  });

  test("writes an audit entry for each change by a user", async () => {
    const { id } = await set({ key: "nightly" });
    for (const enabled of [false, false, true]) await enable(id, enabled);
    await enable(id, false, app);
    const log = new SqlAuditLog({ database: service.database, clock });
    const entries = await log.read({ target: `app:${notes}`, limit: 50 });
    const details = { activity: "count", scheduleId: id, key: "nightly" };
    assert.deepEqual(entries.map(({ actor, action, details: of }) => ({ actor, action, details: of })).reverse(), [
      { actor: "user:admin", action: "activity.pause", details },
      { actor: "user:admin", action: "activity.resume", details },
    ]);
  });

  test("GraphQL sets a schedule; what is null or left out has its default", async () => {
    const { Mutation } = service.activity.resolvers;
    const given = { appName: notes, activity: "count", intervalSeconds: 60 };
    for (const more of [{}, { key: null, cron: null, timezone: null, enabled: null }]) {
      const shown = await Mutation.scheduleActivity(undefined, { ...given, ...more }, callBy(admin));
      assert.partialDeepStrictEqual(shown, { cron: "@every 60s", timezone: "UTC", key: "", enabled: true });
    }
  });

  test("is shown: a paused schedule is not enabled and has no next time", async () => {
    const { id } = await set();
    const { Mutation, Query } = service.activity.resolvers;
    const shown = { id, appName: notes, activity: "count", cron: "*/5 * * * *", timezone: "UTC", key: "" };
    const paused = await Mutation.setScheduleEnabled(undefined, { id, enabled: false }, callBy(admin));
    assert.partialDeepStrictEqual(paused, { ...shown, enabled: false, paused: true, nextRunAt: undefined });
    const listed = await Query.activitySchedules(undefined, { appName: notes }, callBy(admin));
    assert.deepEqual(
      listed.find((schedule) => schedule.id === id),
      paused,
    );
    const resumed = await Mutation.setScheduleEnabled(undefined, { id, enabled: true }, callBy(admin));
    assert.partialDeepStrictEqual(resumed, { ...shown, enabled: true, paused: false });
    assert.equal(new Date(resumed.nextRunAt ?? "").toISOString(), "2026-01-01T12:05:00.000Z");
  });
});
