import { type Call, requirePermission } from "@appserver/kernel";
import type { Delivery, TracedHookEvent } from "../domain/delivery.ts";
import type { HooksContext } from "./context.ts";

/** Returns the first events of these traces, oldest first, without their data. Needs `hook:view`. */
export async function readTracedEvents(
  { deliveryReads, permissions }: Pick<HooksContext, "deliveryReads" | "permissions">,
  traceIds: readonly string[],
  limit: number,
  call: Call,
): Promise<readonly TracedHookEvent[]> {
  await requirePermission(permissions, call, "hook:view");
  return deliveryReads.eventsOfTraces(traceIds, limit);
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

/** Returns the data of an event that the caller may see, as JSON text. It may be large. Undefined if the event was deleted. */
export function readEventData({ deliveryReads }: HooksContext, eventId: string): Promise<string | undefined> {
  return deliveryReads.dataOf(eventId);
}
