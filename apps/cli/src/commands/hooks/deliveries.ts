import { ask } from "../../client.ts";
import { HookDeliveriesDocument } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { oneOf } from "../../one-of.ts";
import { print, printJson } from "../../output.ts";
import { takeFromPages } from "../../pages.ts";
import { deliveryStatuses, deliveryTable } from "./delivery-output.ts";

interface DeliveriesFlags {
  readonly hook?: string;
  readonly app?: string;
  readonly status?: string;
  readonly limit: number;
}

export async function listDeliveries(options: GlobalOptions, { hook, app, status, limit }: DeliveriesFlags): Promise<void> {
  const filter = { hookName: hook, appName: app, status: oneOf(deliveryStatuses, status, "--status") };
  const deliveries = await takeFromPages({ limit, pageSize: 45 }, async (page) => {
    return (await ask(options, HookDeliveriesDocument, { ...filter, ...page })).hookDeliveries;
  });
  if (options.json) printJson(deliveries);
  else print(deliveries.length === 0 ? "no deliveries match" : deliveryTable(deliveries));
}
