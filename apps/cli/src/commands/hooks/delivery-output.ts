import { DeliveryStatus, type HookDelivery, HookDeliverySchema } from "@appserver/contracts/proto/appserver/v2/hooks";
import { toJson } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { renderTable } from "../../table.ts";

/** Formats deliveries, one per line. */
export function deliveryTable(deliveries: readonly HookDelivery[]): string {
  const rows = deliveries.map(({ id, hookName, appName, attempt, error, nextAttemptAt, status }) => {
    const next = nextAttemptAt ? [`next ${timestampDate(nextAttemptAt).toISOString()}`] : [];
    const state = [DeliveryStatus[status] ?? "", ...next, ...(error === "" ? [] : [error])];
    return [id, `${hookName}\nto ${appName}`, attempt, state.join("\n")];
  });
  return renderTable(["ID", "HOOK", "TRY", "STATUS"], rows);
}

export function deliveryJson(delivery: HookDelivery): unknown {
  return toJson(HookDeliverySchema, delivery);
}
