import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { GlobalOptions } from "../../global-options.ts";
import { connect } from "../../platform.ts";
import { UsageError } from "../../usage-error.ts";
import { readInput } from "./json-option.ts";
import { requireWatch, showStarted, type WatchFlags } from "./start.ts";

export interface TriggerFlags extends WatchFlags {
  readonly input?: string;
  readonly key?: string;
  readonly at?: string;
}

export async function triggerActivity(
  options: GlobalOptions,
  appName: string,
  activity: string,
  flags: TriggerFlags,
): Promise<void> {
  requireWatch(flags);
  const platform = connect(options);
  const { run } = await platform.activities.triggerActivity({
    appName,
    activity,
    ...readInput(flags.input),
    ...(flags.key === undefined ? {} : { idempotencyKey: flags.key }),
    ...(flags.at === undefined ? {} : { runAt: timestampFromDate(readTime(flags.at)) }),
  });
  await showStarted(options, platform, run, flags);
}

function readTime(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`--at must be a time like 2026-01-31T08:00:00Z, got ${JSON.stringify(text)}`);
  return time;
}
