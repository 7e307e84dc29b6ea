import { type Call, Cursors, invalidField, isUuid, type Page, pageOf, pageSize, requirePermission } from "@appserver/kernel";
import type { Delivery } from "../domain/delivery.ts";
import type { DeliveryFilter } from "../ports.ts";
import type { HooksContext } from "./context.ts";

export interface DeliveryPageRequest {
  readonly filter: DeliveryFilter;
  /** 1 to 250, default 50. */
  readonly first?: number | undefined;
  /** Opaque cursor of the last one seen. */
  readonly after?: string | undefined;
}

export interface DeliveryPage extends Page<Delivery> {
  /** Counts all matches of the filter; this costs a query. */
  totalCount(): Promise<number>;
}

/** Of pages of deliveries. */
export const deliveryCursors: Cursors = new Cursors("delivery", isDeliveryId);

/** Returns one page, newest first. Users need `hook:view`; an app sees deliveries to it and from it. */
export async function listDeliveries(context: HooksContext, request: DeliveryPageRequest, call: Call): Promise<DeliveryPage> {
  const filter = await visible(context, request.filter, call);
  if (filter.eventId !== undefined && !isUuid(filter.eventId)) throw invalidField("eventId", "must be the id of an event");
  const size = pageSize(request.first);
  const found = await context.deliveryReads.list(filter, size + 1, deliveryCursors.read(request.after));
  return { ...pageOf(found, size), totalCount: () => context.deliveryReads.count(filter) };
}

/** Returns the cursor of a delivery, opaque to clients. */
export function cursorOf(delivery: Delivery): string {
  return deliveryCursors.of(delivery.id);
}

async function visible(context: HooksContext, filter: DeliveryFilter, call: Call): Promise<DeliveryFilter> {
  if (call.caller.kind === "app") return { ...filter, concerning: call.caller.name };
  await requirePermission(context.permissions, call, "hook:view");
  return filter;
}

/** Returns whether the id is a positive number that fits PostgreSQL's bigint. */
export function isDeliveryId(id: string): boolean {
  return /^[1-9]\d{0,17}$/.test(id);
}

/** Returns the deliveries of an event, to the caller that triggered it. */
export function readEventDeliveries({ deliveryReads }: HooksContext, eventId: string): Promise<readonly Delivery[]> {
  return deliveryReads.ofEvent(eventId);
}
