import { ask } from "../../client.ts";
import { RecoverHookDeliveriesDocument } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { UsageError } from "../../usage-error.ts";

export async function recoverDeliveries(
  options: GlobalOptions,
  hookName: string,
  flags: { readonly since: string; readonly until?: string },
): Promise<void> {
  const since = parseTime("--since", flags.since);
  const until = flags.until === undefined ? undefined : parseTime("--until", flags.until);
  const variables = { hookName, since, until };
  const { recoverHookDeliveries: recovered } = await ask(options, RecoverHookDeliveriesDocument, variables);
  if (options.json) printJson({ recovered });
  else print(`${recovered} dead ${recovered === 1 ? "delivery" : "deliveries"} of ${hookName} will be sent again`);
}

function parseTime(option: string, text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime()))
    throw new UsageError(`${option} must be a time like 2026-01-31T12:00:00Z, got ${JSON.stringify(text)}`);
  return at.toISOString();
}
