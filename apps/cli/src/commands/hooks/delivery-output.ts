import { DeliveryStatus, type HookDelivery, HookDeliverySchema } from "@appserver/contracts/proto/appserver/v2/hooks";
import { toJson } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import Table from "cli-table3";

/** One delivery a line. */
export function deliveryTable(deliveries: readonly HookDelivery[]): string {
  const table = new Table({
    head: ["ID", "HOOK", "TO", "STATUS", "ATTEMPT", "NEXT", "ERROR"],
    style: { head: [], border: [] },
  });
  for (const delivery of deliveries) {
    const next = delivery.nextAttemptAt ? timestampDate(delivery.nextAttemptAt).toISOString() : "-";
    const { id, hookName, appName, attempt, error } = delivery;
    table.push([id, hookName, appName, DeliveryStatus[delivery.status], attempt, next, error === "" ? "-" : error]);
  }
  return table.toString();
}

export function deliveryJson(delivery: HookDelivery): unknown {
  return toJson(HookDeliverySchema, delivery);
}
