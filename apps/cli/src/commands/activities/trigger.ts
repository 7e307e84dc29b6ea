import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { print, printJson } from "../../output.ts";
import { connect, type GlobalOptions } from "../../platform.ts";
import { UsageError } from "../../usage-error.ts";
import { readInput } from "./json-option.ts";
import { runJson, statusLine } from "./run-output.ts";
import { follow } from "./watch.ts";

export interface TriggerFlags {
  readonly input?: string;
  readonly key?: string;
  readonly at?: string;
  readonly watch: boolean;
}

export async function triggerActivity(
  options: GlobalOptions,
  appName: string,
  activity: string,
  flags: TriggerFlags,
): Promise<void> {
  const platform = connect(options);
  const { run } = await platform.activities.triggerActivity({
    appName,
    activity,
    ...readInput(flags.input),
    ...(flags.key === undefined ? {} : { idempotencyKey: flags.key }),
    ...(flags.at === undefined ? {} : { runAt: timestampFromDate(readTime(flags.at)) }),
  });
  if (!run) throw new Error("the response of the platform has no run");
  if (flags.watch) await follow(options, platform, run.id);
  else if (options.json) printJson(runJson(run));
  else print(`${run.id} ${statusLine(run)}`);
}

function readTime(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`--at must be a time like 2026-01-31T08:00:00Z, got ${JSON.stringify(text)}`);
  return time;
}
