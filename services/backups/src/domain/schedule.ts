import { AppError, messageOf } from "@appserver/kernel";
import { CronExpressionParser } from "cron-parser";

/** Returns the last time of a schedule that is not later than `now`, in UTC. Throws INVALID_REQUEST if it is no cron expression. */
export function lastDue(schedule: string, now: Date): Date {
  try {
    // The parser looks before its current date, and knows whole seconds.
    const currentDate = new Date((Math.floor(now.getTime() / 1_000) + 1) * 1_000);
    return CronExpressionParser.parse(schedule, { tz: "UTC", currentDate }).prev().toDate();
  } catch (error) {
    throw new AppError(
      "INVALID_REQUEST",
      `the schedule ${JSON.stringify(schedule)} is no cron expression: ${messageOf(error)}`,
    );
  }
}
