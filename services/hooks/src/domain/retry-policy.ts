import type { DeliveryStatus, Problem } from "./delivery.ts";

/** How an attempt ended. */
export type AttemptResult =
  | { readonly outcome: "SUCCESS" }
  | { readonly outcome: "DROP" }
  /** The subscriber, or the way to it, failed; `retryAfterMs` is what the subscriber asked for. */
  | { readonly outcome: "RETRY" | "TIMEOUT" | "FAILED"; readonly error: string; readonly retryAfterMs?: number }
  /** The subscription is no longer wanted. */
  | { readonly outcome: "GONE"; readonly error: string }
  /** The stream ended before its subscriber answered. */
  | { readonly outcome: "DISCONNECTED" }
  /** Never sent: there was no room for it after all, or this process stops. */
  | { readonly outcome: "RELEASED" };

export interface RetryPolicy {
  /** Pause before each retry; their number is the number of retries. Default 5 s, 5 min, 30 min. */
  readonly delaysMs: readonly number[];
  /** Ends of streams that a delivery survives without a retry being counted. Default 10. */
  readonly freeDisconnects: number;
}

export const defaultRetryPolicy: RetryPolicy = { delaysMs: [5_000, 300_000, 1_800_000], freeDisconnects: 10 };

/** However long a subscriber asks to be left alone. */
const maxRetryAfterMs = 24 * 3_600_000;

/** What a delivery becomes after an attempt. */
export interface NextStep {
  readonly status: DeliveryStatus;
  /** Until it is due again; absent when it is over. */
  readonly delayMs: number | undefined;
  readonly failures: number;
  readonly disconnects: number;
  readonly error: Problem | undefined;
}

interface Counted {
  readonly failures: number;
  readonly disconnects: number;
}

/**
 * At least once, with bounded retries: whoever fails more often than the policy allows is DEAD. A stream that ends says
 * nothing of the event, so what it left open goes out again at once; but an event that ends its subscriber's stream every
 * time must not do so forever.
 */
export function nextStep(result: AttemptResult, { failures, disconnects }: Counted, policy: RetryPolicy): NextStep {
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
      return failed({ code: "DISCONNECTED", message: "the subscriber's stream ended" }, 0, { failures, disconnects }, policy);
    }
    default: {
      const code = result.outcome === "TIMEOUT" ? "UPSTREAM_TIMEOUT" : "UPSTREAM_ERROR";
      const error = { code, message: result.error };
      return failed(error, result.retryAfterMs ?? 0, { failures, disconnects }, policy);
    }
  }
}

function failed(error: Problem, retryAfterMs: number, { failures, disconnects }: Counted, policy: RetryPolicy): NextStep {
  const delay = policy.delaysMs[failures];
  const counted = { failures: failures + 1, disconnects, error };
  if (delay === undefined) return { ...counted, status: "DEAD", delayMs: undefined };
  return { ...counted, status: "RETRYING", delayMs: Math.max(delay, Math.min(retryAfterMs, maxRetryAfterMs)) };
}
