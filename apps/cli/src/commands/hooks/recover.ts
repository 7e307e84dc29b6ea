import { ask } from "../../client.ts";
import { RecoverHookDeliveriesDocument } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { timeOf } from "../../time-argument.ts";

export async function recoverDeliveries(
  options: GlobalOptions,
  hookName: string,
  flags: { readonly since: string; readonly until?: string },
): Promise<void> {
  const since = timeOf("--since", flags.since);
  const until = flags.until === undefined ? undefined : timeOf("--until", flags.until);
  const variables = { hookName, since, until };
  const { recoverHookDeliveries: recovered } = await ask(options, RecoverHookDeliveriesDocument, variables);
  if (options.json) printJson({ recovered });
  else print(`${recovered} dead ${recovered === 1 ? "delivery" : "deliveries"} of ${hookName} will be sent again`);
}
