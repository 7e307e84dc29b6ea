import { triggerHook as trigger } from "@appserver/sdk";
import type { GlobalOptions } from "../../global-options.ts";
import { parseJsonArgument } from "../../json-argument.ts";
import { print, printJson } from "../../output.ts";
import { connect } from "../../platform.ts";

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
  return parseJsonArgument(text, "--data", (reason) => `--data must be JSON: ${reason}`);
}
