import { isAppError } from "@appserver/kernel";
import type { NewRun, ScheduleRecord } from "../ports.ts";
import type { ActivityContext } from "../use-cases/context.ts";
import { newRun } from "../use-cases/trigger-activity.ts";

/**
 * Starts due schedules. The run is queued together with the move to the next time, so that several replicas, or one that dies in
 * between, start only one run. If several times passed while no replica ran, one run is started for them.
 */
export async function runSchedules(context: ActivityContext): Promise<void> {
  const now = new Date(context.clock.now());
  for (const schedule of await context.schedules.due(now)) {
    const nextRunAt = await context.recurrences.next(schedule, now);
    const run = await dueRun(context, schedule);
    if (run) await context.runs.enqueueScheduled(run, schedule, nextRunAt);
    else await context.schedules.advance(schedule, nextRunAt);
  }
}

/** Returns the run to start, or undefined if this time is skipped. */
async function dueRun(context: ActivityContext, schedule: ScheduleRecord): Promise<NewRun | undefined> {
  const { id, appName, activity, input } = schedule;
  try {
    const { app, definition } = await context.catalogue.activity(appName, activity);
    if (app.isDisabled) return undefined;
    const run = newRun(context, app, definition, { by: `schedule:${id}` });
    return { run, runAt: undefined, input, audit: undefined };
  } catch (error) {
    // The app is uninstalled or no longer declares the activity.
    if (!isAppError(error)) throw error;
    context.logger.warn({ schedule: id, activity, err: error }, "activity: skipped a due schedule");
    return undefined;
  }
}
