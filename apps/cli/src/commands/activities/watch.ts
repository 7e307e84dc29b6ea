import { type ActivityRun, RunStatus } from "@appserver/contracts/proto/appserver/v2/activity";
import type { PlatformClient } from "@appserver/sdk";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson, printJsonLine } from "../../output.ts";
import { connect } from "../../platform.ts";
import { sleep } from "../../sleep.ts";
import { isFinished, outputOf, runJson, statusLine } from "./run-output.ts";
import { explainWaiting } from "./waiting-run.ts";

export interface TimeoutFlags {
  /** Seconds. */
  readonly timeout?: number;
}

export async function watchRun(options: GlobalOptions, id: string, flags: TimeoutFlags): Promise<void> {
  await follow(options, connect(options), id, flags);
}

/**
 * Prints every change of the run until its end, and what it waits for. Fails if the final status is not COMPLETED. Ctrl-C and the
 * timeout end only the watching.
 */
export async function follow(
  options: GlobalOptions,
  platform: PlatformClient,
  id: string,
  { timeout }: TimeoutFlags,
): Promise<void> {
  let last: ActivityRun | undefined;
  let ended: string | undefined;
  const over = new AbortController();
  const end = (why: string): void => {
    ended ??= why;
    over.abort();
  };
  const interrupt = (): void => end("interrupted");
  process.once("SIGINT", interrupt);
  if (timeout !== undefined)
    sleep(timeout * 1_000, undefined, { signal: over.signal }).then(
      () => end(`not ended after ${timeout} s`),
      () => {},
    );
  const explaining = explainWaiting(platform, () => last, over.signal);
  try {
    for await (const { run } of platform.activities.watchRun({ id }, { signal: over.signal })) {
      if (!run) continue;
      last = run;
      if (options.json) printJsonLine(runJson(run));
      else print(`${run.id} ${statusLine(run)}`);
    }
  } catch (error) {
    if (ended === undefined) throw error;
  } finally {
    process.off("SIGINT", interrupt);
    over.abort();
    await explaining;
  }
  if (ended !== undefined && !(last && isFinished(last))) throw new Error(stillRuns(id, last, ended));
  if (!last || !isFinished(last)) throw new Error("the platform ended the stream before the run ended; run the command again");
  const output = outputOf(last);
  if (!options.json && output !== undefined) printJson(output);
  if (last.status !== RunStatus.COMPLETED) throw new Error(`the run ended as ${RunStatus[last.status]}`);
}

function stillRuns(id: string, last: ActivityRun | undefined, why: string): string {
  const state = last ? `the run is ${RunStatus[last.status]}` : "the run";
  return `${why}: ${state} and continues; appctl activities watch ${id} follows it, appctl activities cancel ${id} ends it`;
}
