import type { ActivityRun } from "@appserver/contracts/proto/appserver/v2/activity";
import type { PlatformClient } from "@appserver/sdk";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { connect } from "../../platform.ts";
import { UsageError } from "../../usage-error.ts";
import { runJson, statusLine } from "./run-output.ts";
import { follow, type TimeoutFlags } from "./watch.ts";

export interface WatchFlags extends TimeoutFlags {
  readonly watch: boolean;
}

export async function runScheduleNow(options: GlobalOptions, id: string, flags: WatchFlags): Promise<void> {
  requireWatch(flags);
  const platform = connect(options);
  const { run } = await platform.activities.runScheduleNow({ id });
  await showStarted(options, platform, run, flags);
}

export async function retryRun(options: GlobalOptions, id: string, flags: WatchFlags): Promise<void> {
  requireWatch(flags);
  const platform = connect(options);
  const { run } = await platform.activities.retryRun({ id });
  await showStarted(options, platform, run, flags);
}

/** Refuses, before a run is started, flags that mean nothing without `--watch`. */
export function requireWatch({ watch, timeout }: WatchFlags): void {
  if (timeout !== undefined && !watch) throw new UsageError("--timeout needs --watch");
}

/** Prints a run that was just started, or follows it to its end. */
export async function showStarted(
  options: GlobalOptions,
  platform: PlatformClient,
  run: ActivityRun | undefined,
  flags: WatchFlags,
): Promise<void> {
  if (!run) throw new Error("the response of the platform has no run");
  if (flags.watch) await follow(options, platform, run.id, flags);
  else if (options.json) printJson(runJson(run));
  else print(`${run.id} ${statusLine(run)}`);
}
