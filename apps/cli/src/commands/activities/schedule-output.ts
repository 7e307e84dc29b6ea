import type { ScheduleFragment } from "../../generated/operations.ts";

/** Formats a schedule: `0 3 * * * UTC, next 2026-01-01T03:00:00.000Z`, `every 60 s`. */
export function scheduleLine(schedule: ScheduleFragment): string {
  const { cron, timezone } = schedule;
  const [, seconds] = /^@every (\d+)s$/.exec(cron) ?? [];
  const when = seconds === undefined ? `${cron} ${timezone}` : `every ${seconds} s`;
  const state = stateOf(schedule);
  return state === "" ? when : `${when}, ${state}`;
}

function stateOf({ enabled, paused, nextRunAt, lastError }: ScheduleFragment): string {
  if (paused) return "paused";
  if (!enabled) return "off";
  const next = nextRunAt == null ? "" : `next ${nextRunAt}`;
  return lastError == null ? next : `${next}, failed: ${lastError}`;
}
