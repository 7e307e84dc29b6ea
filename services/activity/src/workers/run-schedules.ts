import { isAppError, newTraceparent } from "@appserver/kernel";
import { nextTime } from "../domain/next-time.ts";
import type { NewRun, ScheduleRecord } from "../ports.ts";
import type { ActivityContext } from "../use-cases/context.ts";
import { newRun } from "../use-cases/trigger-activity.ts";

/**
 * Starts due schedules. The run is queued together with the move to the next time, so that several replicas, or one that dies in
 * between, start only one run. A time is skipped while too many runs of the app wait. If several times passed while no replica ran, one run is started for them.
 */
export async function runSchedules(context: ActivityContext): Promise<void> {
  const now = new Date(context.clock.now());
  for (const schedule of await context.schedules.due(now)) {
    const nextRunAt = await nextTime(schedule, now);
    const run = await dueRun(context, schedule);
    if (!run) await context.schedules.advance(schedule, nextRunAt);
    else if (await context.runs.enqueueScheduled(run, schedule, nextRunAt)) context.quota.added(schedule.appName);
  }
}

/** Returns the run to start, or undefined if this time is skipped. */
async function dueRun(context: ActivityContext, schedule: ScheduleRecord): Promise<NewRun | undefined> {
  const { id, appName, activity, input } = schedule;
  try {
    const { app, definition } = await context.catalogue.activity(appName, activity);
    if (app.isDisabled) return undefined;
    await context.quota.checkQuota(appName);
    const run = newRun(context, app, definition, { by: `schedule:${id}`, traceparent: newTraceparent() });
    return { run, runAt: undefined, input, audit: undefined };
  } catch (error) {
    // The app is uninstalled, no longer declares the activity, or has too many waiting runs.
    if (!isAppError(error)) throw error;
    const level = isAppError(error, "RATE_LIMIT_EXCEEDED") ? "debug" : "warn";
    context.logger[level]({ schedule: id, activity, err: error }, "activity: skipped a due schedule");
    return undefined;
  }
}
