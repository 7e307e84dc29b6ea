import type { Problem } from "@appserver/kernel";
/** Status of an event's delivery to one subscriber (docs/interface/hooks.md#delivery). */
export type DeliveryStatus = "PENDING" | "SENDING" | "DELIVERED" | "RETRYING" | "DEAD" | "DROPPED";

/** One finished attempt. */
export interface DeliveryAttempt {
  readonly number: number;
  readonly at: Date;
  readonly durationMs: number;
  /** SUCCESS, RETRY, DROP, TIMEOUT, DISCONNECTED, GONE, FAILED, or LOST when the process that sent it died. */
  readonly outcome: string;
  readonly error: string | undefined;
}

/** The delivery of an event to one subscriber. */
export interface Delivery {
  /** An increasing number; opaque to callers. */
  readonly id: string;
  readonly eventId: string;
  readonly hookName: string;
  readonly appName: string;
  readonly status: DeliveryStatus;
  readonly attempt: number;
  /** Absent when the delivery is finished, and while it waits behind another of its ordering key. */
  readonly nextAttemptAt: Date | undefined;
  readonly error: Problem | undefined;
  readonly updatedAt: Date;
  readonly attempts: readonly DeliveryAttempt[];
  /** Of the event's trigger. */
  readonly traceId: string | undefined;
}

/** One trigger of a hook. */
export interface HookEvent {
  /** UUIDv7; the idempotency key. */
  readonly id: string;
  readonly hookName: string;
  readonly sourceApp: string | undefined;
  /** JSON. */
  readonly data: string;
  readonly orderingKey: string | undefined;
  readonly triggeredAt: Date;
  readonly triggeredBy: string;
  readonly traceparent: string | undefined;
}

/** An event without its data, which may be large. */
export type EventSummary = Omit<HookEvent, "data">;

/** A delivery that this process owns until it stores its result. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly appName: string;
  /** The ordering group that orders an app's deliveries; absent if order does not matter. */
  readonly orderingGroup: string | undefined;
  readonly attempt: number;
  readonly failures: number;
  readonly disconnects: number;
  /** Of a delivery whose wait was ended early: time until its retry is due. Otherwise 0. */
  readonly waitLeftMs: number;
  readonly event: HookEvent;
}

/**
 * Returns the ordering group of an event. A subscriber receives the deliveries of one ordering group one after the other. Equal keys of different
 * source apps are different ordering groups.
 */
export function orderingGroupOf(sourceApp: string | undefined, orderingKey: string | undefined): string | undefined {
  return orderingKey === undefined ? undefined : `${sourceApp ?? ""}|${orderingKey}`;
}
