import { ask } from "../../client.ts";
import { RetryActivityRunDocument, type RunFragment, RunScheduleNowDocument } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { UsageError } from "../../usage-error.ts";
import { statusLine } from "./run-output.ts";
import { followRun, type TimeoutFlags } from "./watch.ts";

export interface WatchFlags extends TimeoutFlags {
  readonly watch: boolean;
}

export async function runScheduleNow(options: GlobalOptions, id: string, flags: WatchFlags): Promise<void> {
  requireWatch(flags);
  await showStarted(options, (await ask(options, RunScheduleNowDocument, { id })).runScheduleNow, flags);
}

export async function retryRun(options: GlobalOptions, id: string, flags: WatchFlags): Promise<void> {
  requireWatch(flags);
  await showStarted(options, (await ask(options, RetryActivityRunDocument, { id })).retryActivityRun, flags);
}

/** Refuses, before a run is started, flags that mean nothing without `--watch`. */
export function requireWatch({ watch, timeout }: WatchFlags): void {
  if (timeout !== undefined && !watch) throw new UsageError("--timeout needs --watch");
}

/** Prints a run that was just started, or follows it to its end. */
export async function showStarted(options: GlobalOptions, run: RunFragment, flags: WatchFlags): Promise<void> {
  if (flags.watch) await followRun(options, run.id, flags);
  else if (options.json) printJson(run);
  else print(`${run.id} ${statusLine(run)}`);
}
