import { type ActivitySchedule, ActivityScheduleSchema } from "@appserver/contracts/proto/appserver/v2/activity";
import { toJson } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";

/** Formats a schedule: `0 3 * * * UTC, next 2026-01-01T03:00:00.000Z`. */
export function scheduleLine(schedule: ActivitySchedule): string {
  const { trigger, timezone } = schedule;
  const when = trigger.case === "cron" ? `${trigger.value} ${timezone}` : `every ${trigger.value ?? 0} s`;
  const state = stateOf(schedule);
  return state === "" ? when : `${when}, ${state}`;
}

function stateOf({ enabled, paused, nextRunAt, lastError }: ActivitySchedule): string {
  if (paused) return "paused";
  if (!enabled) return "off";
  const next = nextRunAt ? `next ${timestampDate(nextRunAt).toISOString()}` : "";
  return lastError === undefined ? next : `${next}, failed: ${lastError}`;
}

export function scheduleJson(schedule: ActivitySchedule): unknown {
  return toJson(ActivityScheduleSchema, schedule);
}
