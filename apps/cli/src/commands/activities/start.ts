import type { ActivityRun } from "@appserver/contracts/proto/appserver/v2/activity";
import type { PlatformClient } from "@appserver/sdk";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { connect } from "../../platform.ts";
import { runJson, statusLine } from "./run-output.ts";
import { follow } from "./watch.ts";

export interface WatchFlags {
  readonly watch: boolean;
}

export async function runScheduleNow(options: GlobalOptions, id: string, flags: WatchFlags): Promise<void> {
  const platform = connect(options);
  const { run } = await platform.activities.runScheduleNow({ id });
  await showStarted(options, platform, run, flags);
}

export async function retryRun(options: GlobalOptions, id: string, flags: WatchFlags): Promise<void> {
  const platform = connect(options);
  const { run } = await platform.activities.retryRun({ id });
  await showStarted(options, platform, run, flags);
}

/** Prints a run that was just started, or follows it to its end. */
export async function showStarted(
  options: GlobalOptions,
  platform: PlatformClient,
  run: ActivityRun | undefined,
  { watch }: WatchFlags,
): Promise<void> {
  if (!run) throw new Error("the response of the platform has no run");
  if (watch) await follow(options, platform, run.id);
  else if (options.json) printJson(runJson(run));
  else print(`${run.id} ${statusLine(run)}`);
}
