import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { connect } from "../../platform.ts";
import { deliveryJson } from "./delivery-output.ts";

export async function resendDelivery(options: GlobalOptions, id: string): Promise<void> {
  const { delivery } = await connect(options).hooks.resendDelivery({ id });
  if (!delivery) throw new Error("the response of the platform has no delivery");
  if (options.json) printJson(deliveryJson(delivery));
  else print(`${delivery.hookName} is sent to ${delivery.appName} again`);
}
