import { type HookEvent, HookEventSchema, SubscribeRequestSchema } from "@appserver/contracts/proto/appserver/v2/hooks";
import { create, toJson } from "@bufbuild/protobuf";
import { timestampDate, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJsonLine } from "../../output.ts";
import { connect } from "../../platform.ts";

/** Prints each hook when it is triggered, one per line, with --json as a JSON object, until `count` or Ctrl-C. */
export async function listenToHooks(options: GlobalOptions, hookNames: readonly string[], count?: number): Promise<void> {
  const over = new AbortController();
  process.once("SIGINT", () => over.abort());
  let left = count;
  try {
    await printHooks(options, hookNames, {
      signal: over.signal,
      onPrinted: () => {
        left = left && left - 1;
        if (left === 0) over.abort();
      },
    });
  } catch (error) {
    if (!over.signal.aborted) throw error;
  }
}

export interface PrintedHooks {
  /** Ends it. Default: it ends with the process. */
  readonly signal?: AbortSignal;
  /** Whether to print a hook. Default: all. */
  readonly concerns?: (hookName: string) => boolean;
  readonly onPrinted?: () => void;
}

/** Prints each hook of these names, or of any (empty), when it is triggered. Rejects when the stream is lost or ended. */
export async function printHooks(
  options: GlobalOptions,
  hookNames: readonly string[],
  { signal = new AbortController().signal, concerns = () => true, onPrinted = () => {} }: PrintedHooks,
): Promise<void> {
  const events = connect(options).hooks.subscribe(requests(hookNames, signal), { signal });
  for await (const { event } of events) {
    if (!event || !concerns(event.hookName)) continue;
    if (options.json) printJsonLine(toJson(HookEventSchema, event));
    else print(line(event));
    onPrinted();
  }
}

/** Yields the request and then stays open: the stream lasts until this side ends. */
async function* requests(hookNames: readonly string[], signal: AbortSignal) {
  yield create(SubscribeRequestSchema, { message: { case: "start", value: { hookNames: [...hookNames] } } });
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function line({ hookName, id, triggeredAt, data }: HookEvent): string {
  const at = triggeredAt ? timestampDate(triggeredAt).toISOString() : "-";
  return `${at} ${hookName} ${id} ${JSON.stringify(data ? toJson(ValueSchema, data) : null)}`;
}
