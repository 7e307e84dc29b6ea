import { type Call, earlierReceipt } from "@appserver/kernel";
import { nextTime } from "../domain/next-time.ts";
import { isActive } from "../domain/schedule.ts";
import type { ScheduleChange, ScheduleRecord } from "../ports.ts";
import { type ActivityContext, activityEntry, isAppItself } from "./context.ts";
import { requireSchedule, unknownSchedule } from "./require-schedule.ts";

/**
 * Pauses or resumes a schedule (docs/interface/activities.md#pause). The app itself switches its own schedule off or on instead,
 * so that it cannot undo the pause of a user.
 */
export async function setScheduleEnabled(
  context: ActivityContext,
  { id, enabled }: { readonly id: string; readonly enabled: boolean },
  call: Call,
): Promise<ScheduleRecord> {
  const schedule = await requireSchedule(context, id, "activity:trigger", call);
  if (earlierReceipt()) return schedule;
  const { appName } = schedule;
  const wanted = isAppItself(call, appName) ? { enabled } : { paused: !enabled };
  const changed = await context.schedules.change(id, (before) => changeOf(context, before, wanted, call));
  if (!changed) throw unknownSchedule(id);
  return changed;
}

async function changeOf(
  context: ActivityContext,
  before: ScheduleRecord,
  wanted: Partial<Pick<ScheduleRecord, "enabled" | "paused">>,
  call: Call,
): Promise<ScheduleChange | undefined> {
  const after = { ...before, ...wanted };
  if (after.enabled === before.enabled && after.paused === before.paused) return undefined;
  const { id, key, enabled, paused } = after;
  const now = new Date(context.clock.now());
  // Times that passed while it was not active are not made up for.
  const nextRunAt = isActive(after) && !isActive(before) ? await nextTime(before, now) : before.nextRunAt;
  const audit = activityEntry(call, paused ? "pause" : "resume", before, { scheduleId: id, key });
  return { enabled, paused, nextRunAt, audit };
}
