import type { DeliveryFragment, DeliveryStatus } from "../../generated/operations.ts";
import { renderTable } from "../../table.ts";

export const deliveryStatuses: readonly DeliveryStatus[] = ["PENDING", "SENDING", "DELIVERED", "RETRYING", "DEAD", "DROPPED"];

/** Formats deliveries, one per line. */
export function deliveryTable(deliveries: readonly DeliveryFragment[]): string {
  const rows = deliveries.map(({ id, hookName, appName, attempt, error, nextAttemptAt, status }) => {
    const next = nextAttemptAt == null ? [] : [`next ${nextAttemptAt}`];
    const state = [status, ...next, ...(error ? [`${error.code}: ${error.message}`] : [])];
    return [id, `${hookName}\nto ${appName}`, attempt, state.join("\n")];
  });
  return renderTable(["ID", "HOOK", "TRY", "STATUS"], rows);
}
