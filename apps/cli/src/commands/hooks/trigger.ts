import { ask } from "../../client.ts";
import { TriggerHookDocument } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { parseJsonArgument } from "../../json-argument.ts";
import { print, printJson } from "../../output.ts";

export async function triggerHook(
  options: GlobalOptions,
  name: string,
  flags: { readonly data?: string; readonly key?: string },
): Promise<void> {
  const variables = { name, data: parseData(flags.data), orderingKey: flags.key };
  const { eventId, subscribers } = (await ask(options, TriggerHookDocument, variables)).triggerHook;
  if (options.json) printJson({ eventId, subscribers });
  else print(`${name} ${eventId} is sent to ${subscribers} ${subscribers === 1 ? "subscriber" : "subscribers"}`);
}

function parseData(text: string | undefined): unknown {
  if (text === undefined) return null;
  return parseJsonArgument(text, "--data", (reason) => `--data must be JSON: ${reason}`);
}
