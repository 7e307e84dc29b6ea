/** Status of an event's delivery to one subscriber (docs/interface/hooks.md#delivery). */
export type DeliveryStatus = "PENDING" | "SENDING" | "DELIVERED" | "RETRYING" | "DEAD" | "DROPPED";

/** A failure as it is stored and shown. */
export interface Problem {
  readonly code: string;
  readonly message: string;
}

/** One attempt, as it ended. */
export interface DeliveryAttempt {
  readonly number: number;
  readonly at: Date;
  readonly durationMs: number;
  /** SUCCESS, RETRY, DROP, TIMEOUT, DISCONNECTED, GONE, FAILED, or LOST when the process that sent it died. */
  readonly outcome: string;
  readonly error: string | undefined;
}

/** An event on its way to one subscriber. */
export interface Delivery {
  /** A number that grows; opaque to callers. */
  readonly id: string;
  readonly eventId: string;
  readonly hookName: string;
  readonly appName: string;
  readonly status: DeliveryStatus;
  readonly attempt: number;
  /** Absent once it is over, and while it waits behind another of its ordering key. */
  readonly nextAttemptAt: Date | undefined;
  readonly error: Problem | undefined;
  readonly updatedAt: Date;
  readonly attempts: readonly DeliveryAttempt[];
}

/** One triggering of a hook. */
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

/** A delivery that this process holds until it settles it. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly appName: string;
  /** Which of an app's deliveries follow each other; absent where order does not matter. */
  readonly lane: string | undefined;
  readonly attempt: number;
  readonly failures: number;
  readonly disconnects: number;
  readonly event: HookEvent;
}

/** Deliveries of one lane go to a subscriber one after the other. Keys of different sources never meet. */
export function laneOf(sourceApp: string | undefined, orderingKey: string | undefined): string | undefined {
  return orderingKey === undefined ? undefined : `${sourceApp ?? ""}|${orderingKey}`;
}
