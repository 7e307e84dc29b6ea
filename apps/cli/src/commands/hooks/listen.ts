import { follow } from "../../follow.ts";
import { HookTriggeredDocument, type HookTriggeredSubscription } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJsonLine } from "../../output.ts";

/** Prints each hook when it is triggered, one per line, with --json as a JSON object, until `count` or Ctrl-C. */
export async function listenToHooks(options: GlobalOptions, hookNames: readonly string[], count?: number): Promise<void> {
  const over = new AbortController();
  process.once("SIGINT", () => over.abort());
  let left = count;
  await printHooks(options, {
    signal: over.signal,
    concerns: (name) => hookNames.length === 0 || hookNames.includes(name),
    onPrinted: () => {
      left = left && left - 1;
      if (left === 0) over.abort();
    },
  });
}

export interface PrintedHooks {
  /** Ends it. Default: it ends with the process. */
  readonly signal?: AbortSignal;
  /** Whether to print a hook. Default: all. */
  readonly concerns?: (hookName: string) => boolean;
  readonly onPrinted?: () => void;
}

/** Prints each hook when it is triggered. Rejects when the stream is lost or ended. */
export async function printHooks(
  options: GlobalOptions,
  { signal, concerns = () => true, onPrinted = () => {} }: PrintedHooks,
): Promise<void> {
  for await (const { hookTriggered: event } of follow(options, HookTriggeredDocument, {}, signal)) {
    if (!concerns(event.hookName)) continue;
    if (options.json) printJsonLine(event);
    else print(line(event));
    onPrinted();
  }
}

function line({ hookName, id, triggeredAt, data }: HookTriggeredSubscription["hookTriggered"]): string {
  return `${triggeredAt} ${hookName} ${id} ${JSON.stringify(data)}`;
}
