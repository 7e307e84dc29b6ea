import { isDeepStrictEqual } from "node:util";
import { follow } from "../../follow.ts";
import { ActivityProgressDocument, type ActivityProgressSubscription } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson, printJsonLine } from "../../output.ts";
import { sleep } from "../../sleep.ts";
import { isFinished, statusLine } from "./run-output.ts";
import { explainWaiting } from "./waiting-run.ts";

type ShownRun = ActivityProgressSubscription["activityProgress"];

export interface TimeoutFlags {
  /** Seconds. */
  readonly timeout?: number;
}

/**
 * Prints every change of the run until its end, and what it waits for. Fails if the final status is not COMPLETED. Ctrl-C and the
 * timeout end only the watching.
 */
export async function followRun(options: GlobalOptions, runId: string, { timeout }: TimeoutFlags): Promise<void> {
  let last: ShownRun | undefined;
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
  const explaining = explainWaiting(options, () => last, over.signal);
  try {
    for await (const { activityProgress: run } of follow(options, ActivityProgressDocument, { runId }, over.signal)) {
      // A subscription that begins, also again after an interruption, repeats the present state.
      if (isDeepStrictEqual(run, last)) continue;
      last = run;
      if (options.json) printJsonLine(run);
      else print(`${run.id} ${statusLine(run)}`);
    }
  } finally {
    process.off("SIGINT", interrupt);
    over.abort();
    await explaining;
  }
  if (ended !== undefined && !(last && isFinished(last))) throw new Error(stillRuns(runId, last, ended));
  if (!last || !isFinished(last)) throw new Error("the platform ended the stream before the run ended; run the command again");
  if (!options.json && last.output != null) printJson(last.output);
  if (last.status !== "COMPLETED") throw new Error(`the run ended as ${last.status}`);
}

function stillRuns(id: string, last: ShownRun | undefined, why: string): string {
  const state = last ? `the run is ${last.status}` : "the run";
  return `${why}: ${state} and continues; appctl activities watch ${id} follows it, appctl activities cancel ${id} ends it`;
}
