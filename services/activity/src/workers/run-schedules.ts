import { isAppError } from "@appserver/kernel";
import type { ScheduleRecord } from "../ports.ts";
import type { ActivityContext } from "../use-cases/context.ts";
import { newRun } from "../use-cases/trigger-activity.ts";

/**
 * Starts due schedules. The run's idempotency key consists of the schedule and its time, so that several replicas, or one that
 * dies in between, start only one run. If several times passed while no replica ran, one run is started for them.
 */
export async function runSchedules(context: ActivityContext): Promise<void> {
  const now = new Date(context.clock.now());
  for (const schedule of await context.schedules.due(now)) {
    try {
      await start(context, schedule);
    } catch (error) {
      // The app is uninstalled or no longer declares the activity: this time is skipped.
      if (!isAppError(error)) throw error;
      context.logger.warn(
        { schedule: schedule.id, activity: schedule.activity, err: error },
        "activity: skipped a due schedule",
      );
    }
    await context.schedules.advance(schedule, await context.recurrences.next(schedule, now));
  }
}

async function start(context: ActivityContext, schedule: ScheduleRecord): Promise<void> {
  const { app, definition } = await context.catalogue.activity(schedule.appName, schedule.activity);
  // This time is skipped, as for an app that is not installed.
  if (app.isDisabled) return;
  const key = `schedule:${schedule.id}:${schedule.nextRunAt.toISOString()}`;
  const by = `schedule:${schedule.id}`;
  const { input } = schedule;
  const run = newRun(context, app, definition, { key, by });
  await context.enqueue.run({ run, runAt: undefined, input, audit: undefined });
}
