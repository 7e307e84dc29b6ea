import { ask } from "../../client.ts";
import { ResendHookDeliveryDocument } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";

export async function resendDelivery(options: GlobalOptions, id: string): Promise<void> {
  const { resendHookDelivery: delivery } = await ask(options, ResendHookDeliveryDocument, { id });
  if (options.json) printJson(delivery);
  else print(`${delivery.hookName} is sent to ${delivery.appName} again`);
}
