import { AppError, type Call } from "@appserver/kernel";
import type { ScheduleRecord } from "../ports.ts";
import { type ActivityContext, activityEntry } from "./context.ts";
import { requireSchedule, unknownSchedule } from "./require-schedule.ts";

/**
 * Deletes a schedule (docs/interface/activities.md#deletion). Returns it as it was. Throws INVALID_STATE for one that the app declares.
 */
export async function deleteSchedule(context: ActivityContext, id: string, call: Call): Promise<ScheduleRecord> {
  const found = await requireSchedule(context, id, "activity:trigger", call);
  if (found.declared)
    throw new AppError("INVALID_STATE", "the schedule is declared by its app, and would come back: pause it instead", {
      details: { schedule: id },
    });
  const deleted = await context.schedules.delete(id, (schedule) =>
    activityEntry(call, "delete_schedule", schedule, { scheduleId: id, key: schedule.key }),
  );
  if (!deleted) throw unknownSchedule(id);
  return deleted;
}
