import type { Problem } from "@appserver/kernel";
import type { DeliveryStatus } from "./delivery.ts";

/** How an attempt ended. */
export type AttemptResult =
  | { readonly outcome: "SUCCESS" }
  | { readonly outcome: "DROP" }
  /** The subscriber, or the connection to it, failed; `retryAfterMs` is the subscriber's requested pause. */
  | { readonly outcome: "RETRY" | "TIMEOUT" | "FAILED"; readonly error: string; readonly retryAfterMs?: number }
  /** The app no longer wants the subscription. */
  | { readonly outcome: "GONE"; readonly error: string }
  /** The stream ended before its subscriber acknowledged. */
  | { readonly outcome: "DISCONNECTED" }
  /** Never sent: there was no capacity, or this process stops. */
  | { readonly outcome: "RELEASED" };

export interface RetryPolicy {
  /** Pause before each retry; their number is the number of retries. */
  readonly delaysMs: readonly number[];
  /** Closed streams that a delivery survives without a counted retry. */
  readonly freeDisconnects: number;
}

/** Maximum pause, whatever the subscriber requests. */
const maxRetryAfterMs = 24 * 3_600_000;

/** The state of a delivery after an attempt. */
export interface NextStep {
  readonly status: DeliveryStatus;
  /** Time until the delivery is due again; absent when it is finished. */
  readonly delayMs: number | undefined;
  readonly failures: number;
  readonly disconnects: number;
  readonly error: Problem | undefined;
}

interface Counted {
  readonly failures: number;
  readonly disconnects: number;
  /** Positive if the attempt came before its retry was due: then its failure is no retry, and the rest of the wait follows. */
  readonly waitLeftMs: number;
}

/**
 * Implements at-least-once delivery with bounded retries: a delivery that fails more often than the policy allows is DEAD. A
 * closed stream is not a failure of the event, so its open deliveries are sent again at once. But an event that closes its
 * subscriber's stream every time must not do so forever.
 */
export function nextStep(result: AttemptResult, counted: Counted, policy: RetryPolicy): NextStep {
  const { failures, disconnects } = counted;
  const over = { delayMs: undefined, failures, disconnects };
  switch (result.outcome) {
    case "SUCCESS":
      return { ...over, status: "DELIVERED", error: undefined };
    case "DROP":
      return { ...over, status: "DROPPED", error: { code: "DROPPED", message: "the subscriber dropped it" } };
    case "GONE":
      return { ...over, status: "DEAD", error: { code: "GONE", message: result.error } };
    case "RELEASED":
      return { status: "PENDING", delayMs: 0, failures, disconnects, error: undefined };
    case "DISCONNECTED": {
      if (disconnects < policy.freeDisconnects)
        return { status: "RETRYING", delayMs: 0, failures, disconnects: disconnects + 1, error: undefined };
      return failed({ code: "DISCONNECTED", message: "the subscriber's stream ended" }, 0, counted, policy);
    }
    default: {
      const code = result.outcome === "TIMEOUT" ? "UPSTREAM_TIMEOUT" : "UPSTREAM_ERROR";
      const error = { code, message: result.error };
      return failed(error, result.retryAfterMs ?? 0, counted, policy);
    }
  }
}

/** Returns whether the subscriber itself asked to be sent the event later. */
export function isWaitWanted(result: AttemptResult): boolean {
  return result.outcome === "RETRY" || ("retryAfterMs" in result && result.retryAfterMs !== undefined);
}

function failed(error: Problem, retryAfterMs: number, counted: Counted, policy: RetryPolicy): NextStep {
  const { failures, disconnects, waitLeftMs } = counted;
  const isEarly = waitLeftMs > 0;
  const next = { failures: isEarly ? failures : failures + 1, disconnects, error };
  const delay = isEarly ? waitLeftMs : policy.delaysMs[failures];
  if (delay === undefined) return { ...next, status: "DEAD", delayMs: undefined };
  return { ...next, status: "RETRYING", delayMs: Math.max(delay, Math.min(retryAfterMs, maxRetryAfterMs)) };
}
