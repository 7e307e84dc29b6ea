import type { Call } from "@appserver/kernel";
import type { RunRecord } from "../domain/run.ts";
import type { ActivityContext } from "./context.ts";
import { requireSchedule } from "./require-schedule.ts";
import { earlierRun, startRun } from "./trigger-activity.ts";

/**
 * Starts the run that the schedule would start, without a change of its next time (docs/interface/activities.md#run-now). Throws
 * NOT_FOUND if the app is not installed or no longer declares the activity.
 */
export async function runScheduleNow(context: ActivityContext, id: string, call: Call): Promise<RunRecord> {
  const { appName, activity, input } = await requireSchedule(context, id, "activity:trigger", call);
  const earlier = await earlierRun(context);
  if (earlier) return earlier;
  const { app, definition } = await context.catalogue.activity(appName, activity);
  return startRun(context, { app, definition, input, details: { scheduleId: id } }, call);
}
