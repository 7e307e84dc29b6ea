import { quote } from "@appserver/contracts/patterns";
import { invalidField } from "@appserver/kernel";
import type { Recurrence } from "./activity-definition.ts";
import { ZoneClock } from "./zone-clock.ts";

/** Returns the next time of a recurrence. Throws INVALID_REQUEST if the cron expression, the interval or the time zone is invalid. */
export async function nextTime({ cron, intervalSeconds, timezone }: Recurrence, after: Date): Promise<Date> {
  if ((cron === undefined) === (intervalSeconds === undefined))
    throw invalidField("trigger", "must be one of cron and interval_seconds");
  if (intervalSeconds !== undefined) {
    if (!Number.isInteger(intervalSeconds) || intervalSeconds < 1)
      throw invalidField("interval_seconds", `must be at least 1, got ${intervalSeconds}`);
    return new Date(after.getTime() + intervalSeconds * 1000);
  }
  const zone = zoneOf(timezone);
  // Its parser is loaded at the first use.
  const { Cron } = await import("./cron.ts");
  const next = new Cron(cron ?? "").next(zone, after);
  if (!next) throw invalidField("cron", `must be a cron expression with a future time, got ${quote(cron ?? "")}`);
  return next;
}

function zoneOf(name: string): ZoneClock {
  try {
    // Intl accepts offsets such as +02:00, but they have no summer time, so they are not time zones here.
    if (/^[A-Za-z]/.test(name)) return new ZoneClock(name);
  } catch {
    // Unknown.
  }
  throw invalidField("timezone", `must be an IANA time zone, got ${quote(name)}`);
}
