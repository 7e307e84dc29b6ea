import { type Call, requirePermission } from "@appserver/kernel";
import type { Delivery, EventSummary } from "../domain/delivery.ts";
import type { HooksContext } from "./context.ts";

/** Returns the first events of these traces, oldest first, without their data. Needs `hook:view`. */
export async function readTracedEvents(
  { eventReads, permissions }: Pick<HooksContext, "eventReads" | "permissions">,
  traceIds: readonly string[],
  limit: number,
  call: Call,
): Promise<readonly EventSummary[]> {
  await requirePermission(permissions, call, "hook:view");
  return eventReads.ofTraces(traceIds, limit);
}

/** Returns the first deliveries of these traces, oldest first. Needs `hook:view`. */
export async function readTracedDeliveries(
  { deliveryReads, permissions }: Pick<HooksContext, "deliveryReads" | "permissions">,
  traceIds: readonly string[],
  limit: number,
  call: Call,
): Promise<readonly Delivery[]> {
  await requirePermission(permissions, call, "hook:view");
  return deliveryReads.ofTraces(traceIds, limit);
}
