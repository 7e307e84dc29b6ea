import { type HookEvent, HookEventSchema, SubscribeRequestSchema } from "@appserver/contracts/proto/appserver/v2/hooks";
import { create, toJson } from "@bufbuild/protobuf";
import { timestampDate, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { GlobalOptions } from "../../global-options.ts";
import { print } from "../../output.ts";
import { connect } from "../../platform.ts";

/** Prints each hook when it is triggered, one per line, with --json as a JSON object. */
export async function listenToHooks(options: GlobalOptions, hookNames: readonly string[], count?: number): Promise<void> {
  const over = new AbortController();
  process.once("SIGINT", () => over.abort());
  const { signal } = over;
  try {
    const events = connect(options).hooks.subscribe(requests(hookNames, signal), { timeoutMs: 0, signal });
    let seen = 0;
    for await (const { event } of events) {
      if (!event) continue;
      print(options.json ? JSON.stringify(toJson(HookEventSchema, event)) : line(event));
      seen += 1;
      if (seen === count) over.abort();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
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
