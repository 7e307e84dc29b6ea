import { AppError, type Caller } from "@appserver/kernel";
import type { Delivery } from "../domain/delivery.ts";
import type { DeliveryFilter } from "../ports.ts";
import { type HooksContext, invalid, requirePermission } from "./context.ts";

export interface DeliveryPageRequest {
  readonly filter: DeliveryFilter;
  /** 1 to 250, default 50. */
  readonly first?: number | undefined;
  /** Opaque cursor of the last one seen. */
  readonly after?: string | undefined;
}

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  readonly hasNext: boolean;
  /** Counts the whole filter; not free. */
  totalCount(): Promise<number>;
}

const pageLimits = { default: 50, most: 250 } as const;
const cursorPrefix = "delivery:";

/** One page, newest first. Users need `hook:view`; an app sees what concerns it. */
export async function listDeliveries(
  context: HooksContext,
  caller: Caller,
  request: DeliveryPageRequest,
): Promise<DeliveryPage> {
  const filter = await visible(context, caller, request.filter);
  const first = request.first ?? pageLimits.default;
  if (!Number.isInteger(first) || first < 1 || first > pageLimits.most)
    throw invalid("first", `must be 1 to ${pageLimits.most}, got ${first}`);
  const before = request.after === undefined || request.after === "" ? undefined : readCursor(request.after);
  const found = await context.deliveries.list(filter, first + 1, before);
  return {
    deliveries: found.slice(0, first),
    hasNext: found.length > first,
    totalCount: () => context.deliveries.count(filter),
  };
}

/** Opaque to clients. */
export function cursorOf(delivery: Delivery): string {
  return Buffer.from(cursorPrefix + delivery.id).toString("base64url");
}

async function visible(context: HooksContext, caller: Caller, filter: DeliveryFilter): Promise<DeliveryFilter> {
  if (caller.kind === "app") return { ...filter, concerning: caller.name };
  await requirePermission(context, caller, "hook:view");
  return filter;
}

function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, "base64url").toString();
  const id = text.startsWith(cursorPrefix) ? text.slice(cursorPrefix.length) : "";
  if (!isDeliveryId(id)) throw invalid("after", "must be an endCursor of this list");
  return id;
}

/** A positive number that PostgreSQL's bigint holds. */
export function isDeliveryId(id: string): boolean {
  return /^[1-9]\d{0,17}$/.test(id);
}

/** The delivery as its id names it, or NOT_FOUND. */
export async function requireDelivery(context: HooksContext, id: string) {
  const delivery = isDeliveryId(id) ? await context.deliveries.find(id) : undefined;
  if (delivery) return delivery;
  throw new AppError("NOT_FOUND", `there is no delivery ${JSON.stringify(id)}`, { details: { id } });
}
