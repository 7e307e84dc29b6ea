import { triggerHook as trigger } from "@appserver/sdk";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { connect } from "../../platform.ts";
import { UsageError } from "../../usage-error.ts";

export async function triggerHook(
  options: GlobalOptions,
  name: string,
  flags: { readonly data?: string; readonly key?: string },
): Promise<void> {
  const key = flags.key === undefined ? {} : { orderingKey: flags.key };
  const { eventId, subscribers } = await trigger(connect(options), name, parseData(flags.data), key);
  if (options.json) printJson({ eventId, subscribers });
  else print(`${name} ${eventId} is sent to ${subscribers} ${subscribers === 1 ? "subscriber" : "subscribers"}`);
}

function parseData(text: string | undefined): unknown {
  if (text === undefined) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`--data must be JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
