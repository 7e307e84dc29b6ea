import type { Operation } from "@appserver/contracts/proto/appserver/v2/common";
import type { PlatformClient } from "@appserver/sdk";
import { isBroken, reconnectEveryMs, reconnectForMs } from "../broken-connection.ts";
import type { GlobalOptions } from "../global-options.ts";
import { operationJson, print, printJson } from "../output.ts";
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
  { marketplace }: PlatformClient,
  started: Operation | undefined,
  { done, detach }: FollowFlags & { readonly done: string },
): Promise<void> {
  const last = detach ? started : await untilDone(marketplace, started, { isShown: !options.json });
  if (!last) throw new Error(noOperation);
  if (last.error) throw failureOf(last);
  if (options.json) printJson({ operation: operationJson(last) });
  else print(last.done ? done : runningText(last));
}

function runningText({ id, kind, appName, stage, progress }: Operation): string {
  return `${kind} of ${appName} runs (${stage}, ${Math.round(progress * 100)} %); appctl operation ${id} waits for its end`;
}

/** Returns the operation as it is when it is done. `isShown`: whether its progress is shown. Throws with its error if it failed. */
export async function untilDone(
  marketplace: PlatformClient["marketplace"],
  started: Operation | undefined,
  { isShown }: { readonly isShown: boolean },
): Promise<Operation> {
  if (!started) throw new Error(noOperation);
  let last = started;
  if (!started.done) last = await watch(marketplace, started, isShown);
  if (last.error) throw failureOf(last);
  return last;
}

const noOperation = "the response of the platform has no operation";

function failureOf({ kind, appName, error }: Operation): Error {
  return new Error(`${kind} of ${appName}: ${error?.message}`);
}

/** The operation continues without its watcher: after a lost connection this watches it again. */
async function watch(marketplace: PlatformClient["marketplace"], started: Operation, isShown: boolean): Promise<Operation> {
  const line = progressLine(process.stderr, { isShown });
  let last = started;
  try {
    for (let seenAt = performance.now(); ; ) {
      try {
        for await (const { operation } of marketplace.watchOperation({ id: started.id })) {
          seenAt = performance.now();
          if (!operation) continue;
          last = operation;
          line.update(operation);
        }
      } catch (error) {
        if (!isBroken(error)) throw error;
      }
      if (last.done) return last;
      if (performance.now() - seenAt > reconnectForMs) throw new Error(`the connection is lost. ${runningText(last)}`);
      await sleep(reconnectEveryMs);
    }
  } finally {
    line.end();
  }
}
