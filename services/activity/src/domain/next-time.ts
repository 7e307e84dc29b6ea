import { quote } from "@appserver/contracts/patterns";
import { invalidField } from "@appserver/kernel";
import type { Recurrence } from "./activity-definition.ts";

/**
 * Returns the next time of a recurrence. Throws INVALID_REQUEST if the cron expression, the interval or the time zone is invalid.
 * Cron expressions have the meaning that pg-boss gives them: both use cron-parser, which is loaded at the first use.
 */
export async function nextTime({ cron, intervalSeconds, timezone }: Recurrence, after: Date): Promise<Date> {
  if ((cron === undefined) === (intervalSeconds === undefined))
    throw invalidField("trigger", "must be one of cron and interval_seconds");
  if (intervalSeconds !== undefined) {
    if (!Number.isInteger(intervalSeconds) || intervalSeconds < 1)
      throw invalidField("interval_seconds", `must be at least 1, got ${intervalSeconds}`);
    return new Date(after.getTime() + intervalSeconds * 1000);
  }
  if (!isTimezone(timezone)) throw invalidField("timezone", `must be an IANA time zone, got ${quote(timezone)}`);
  return nextOfCron(cron ?? "", timezone, after);
}

async function nextOfCron(cron: string, tz: string, after: Date): Promise<Date> {
  // Nicknames (@daily) and hashes are extensions of cron-parser; stored expressions must mean the same in other tools.
  if (!/^[\w*,/ #?-]{1,200}$/.test(cron)) throw invalidField("cron", `must be a cron expression, got ${quote(cron)}`);
  const { CronExpressionParser } = await import("cron-parser");
  try {
    return CronExpressionParser.parse(cron, { tz, currentDate: after }).next().toDate();
  } catch (error) {
    throw invalidField("cron", `must be a cron expression with a future time, got ${quote(cron)}`, error);
  }
}

function isTimezone(name: string): boolean {
  try {
    // Intl accepts offsets such as +02:00, but they have no summer time, so they are not time zones here.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
