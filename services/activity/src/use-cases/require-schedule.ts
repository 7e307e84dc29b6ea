import { quote } from "@appserver/contracts/patterns";
import { AppError, type Call, isUuid } from "@appserver/kernel";
import type { ScheduleRecord } from "../ports.ts";
import { type ActivityContext, requireFound } from "./context.ts";

/** Returns the schedule. An app has only its own schedules: others are NOT_FOUND, like unknown ones. */
export async function requireSchedule(
  context: ActivityContext,
  id: string,
  permission: string,
  call: Call,
): Promise<ScheduleRecord> {
  const schedule = isUuid(id) ? await context.schedules.find(id) : undefined;
  return requireFound(context, call, { found: schedule, permission, unknown: unknownSchedule(id) });
}

export function unknownSchedule(id: string): AppError {
  return new AppError("NOT_FOUND", `there is no schedule ${quote(id)}`, { details: { schedule: id } });
}
