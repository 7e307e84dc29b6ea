import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { connect } from "../../platform.ts";
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
  flags: ScheduleFlags,
): Promise<void> {
  const { scheduleId, nextRunAt } = await connect(options).activities.scheduleActivity({
    appName,
    activity,
    trigger: triggerOf(flags),
    ...(flags.timezone === undefined ? {} : { timezone: flags.timezone }),
    ...readInput(flags.input),
    ...(flags.key === undefined ? {} : { key: flags.key }),
    enabled: !flags.off,
  });
  const next = nextRunAt ? timestampDate(nextRunAt).toISOString() : undefined;
  if (options.json) printJson({ scheduleId, ...(next === undefined ? {} : { nextRunAt: next }) });
  else print(`${scheduleId} ${next === undefined ? "is off" : `starts next at ${next}`}`);
}

function triggerOf({ cron, every }: ScheduleFlags) {
  if (cron !== undefined && every === undefined) return { case: "cron", value: cron } as const;
  if (every !== undefined && cron === undefined) return { case: "intervalSeconds", value: every } as const;
  throw new UsageError("expected --cron or --every");
}
