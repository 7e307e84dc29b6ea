import { DeliveryStatus, type HookDelivery } from "@appserver/contracts/proto/appserver/v2/hooks";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { connect } from "../../platform.ts";
import { UsageError } from "../../usage-error.ts";
import { deliveryJson, deliveryTable } from "./delivery-output.ts";

const pageSize = 250;

interface DeliveriesFlags {
  readonly hook?: string;
  readonly app?: string;
  readonly status?: string;
  readonly limit: number;
}

export async function listDeliveries(options: GlobalOptions, flags: DeliveriesFlags): Promise<void> {
  const platform = connect(options);
  const filter = {
    ...(flags.hook === undefined ? {} : { hookName: flags.hook }),
    ...(flags.app === undefined ? {} : { appName: flags.app }),
    ...(flags.status === undefined ? {} : { status: parseStatus(flags.status) }),
  };
  const deliveries: HookDelivery[] = [];
  let pageToken = "";
  do {
    const size = Math.min(pageSize, flags.limit - deliveries.length);
    const page = await platform.hooks.listDeliveries({ ...filter, pageSize: size, pageToken });
    deliveries.push(...page.deliveries);
    pageToken = page.nextPageToken;
  } while (pageToken !== "" && deliveries.length < flags.limit);
  if (options.json) printJson(deliveries.map(deliveryJson));
  else print(deliveries.length === 0 ? "no deliveries match" : deliveryTable(deliveries));
}

function parseStatus(text: string): DeliveryStatus {
  const status = (DeliveryStatus as unknown as Readonly<Record<string, DeliveryStatus | string>>)[text.toUpperCase()];
  if (typeof status === "number" && status !== DeliveryStatus.UNSPECIFIED) return status;
  const known = Object.keys(DeliveryStatus).filter((key) => Number.isNaN(Number(key)) && key !== "UNSPECIFIED");
  throw new UsageError(`--status must be one of ${known.join(", ")}, got ${JSON.stringify(text)}`);
}
