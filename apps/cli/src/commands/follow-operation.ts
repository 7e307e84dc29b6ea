import { follow, isLost, reconnectEveryMs, reconnectForMs } from "../follow.ts";
import { type OperationFragment, OperationProgressDocument } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson } from "../output.ts";
import { progressLine } from "../progress-line.ts";
import { sleep } from "../sleep.ts";

/** Options of the commands that start an operation. */
export interface FollowFlags {
  /** Whether to return as soon as the operation has started. */
  readonly detach: boolean;
}

/** Shows the progress of an operation until it is done. Throws with its error if it failed. `done` is printed at the end. */
export async function followOperation(
  options: GlobalOptions,
  started: OperationFragment,
  { done, detach }: FollowFlags & { readonly done: string },
): Promise<void> {
  const operation = detach ? started : await untilDone(options, started, { isShown: !options.json });
  if (operation.error) throw failureOf(operation);
  if (options.json) printJson({ operation });
  else print(operation.done ? done : runningText(operation));
}

function runningText({ id, kind, appName, stage, progress }: OperationFragment): string {
  return `${kind} of ${appName} runs (${stage}, ${Math.round(progress * 100)} %); appctl operation ${id} waits for its end`;
}

/** Returns the operation as it is when it is done. `isShown`: whether its progress is shown. Throws with its error if it failed. */
export async function untilDone(
  options: GlobalOptions,
  started: OperationFragment,
  { isShown }: { readonly isShown: boolean },
): Promise<OperationFragment> {
  const last = started.done ? started : await watch(options, started, isShown);
  if (last.error) throw failureOf(last);
  return last;
}

function failureOf({ kind, appName, error }: OperationFragment): Error {
  return new Error(`${kind} of ${appName}: ${error?.message}`);
}

/** The operation continues without its watcher: after a lost connection this watches it again. */
async function watch(options: GlobalOptions, started: OperationFragment, isShown: boolean): Promise<OperationFragment> {
  const line = progressLine(process.stderr, { isShown });
  let last = started;
  try {
    for (let seenAt = performance.now(); ; ) {
      try {
        for await (const { operationProgress } of follow(options, OperationProgressDocument, { id: started.id })) {
          seenAt = performance.now();
          last = operationProgress;
          line.update(last);
        }
      } catch (error) {
        if (!isLost(error)) throw error;
      }
      if (last.done) return last;
      if (performance.now() - seenAt > reconnectForMs) throw new Error(`the connection is lost. ${runningText(last)}`);
      await sleep(reconnectEveryMs);
    }
  } finally {
    line.end();
  }
}
