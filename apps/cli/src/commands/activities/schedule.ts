import { ask } from "../../client.ts";
import { ScheduleActivityDocument } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { UsageError } from "../../usage-error.ts";
import { readInput } from "./json-option.ts";

export interface ScheduleFlags {
  readonly cron?: string;
  readonly every?: number;
  readonly timezone?: string;
  readonly input?: string;
  readonly key?: string;
  readonly off: boolean;
}

export async function scheduleActivity(
  options: GlobalOptions,
  appName: string,
  activity: string,
  { cron, every: intervalSeconds, timezone, key, off, ...flags }: ScheduleFlags,
): Promise<void> {
  if ((cron === undefined) === (intervalSeconds === undefined)) throw new UsageError("expected --cron or --every");
  const recurrence = { cron, intervalSeconds, timezone };
  const variables = { appName, activity, key, enabled: !off, input: readInput(flags.input), ...recurrence };
  const { scheduleActivity: schedule } = await ask(options, ScheduleActivityDocument, variables);
  const { id, nextRunAt } = schedule;
  if (options.json) printJson(schedule);
  else print(`${id} ${nextRunAt == null ? "is off" : `starts next at ${nextRunAt}`}`);
}
