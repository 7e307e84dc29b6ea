import type { AttemptResult } from "./retry-policy.ts";

/** A subscriber backend's response to a POST. */
export interface PushAnswer {
  readonly status: number;
  /** The header, as sent. */
  readonly retryAfter: string | undefined;
}

/**
 * Converts the response: any 2xx is a success, 410 ends the subscription, any other status is retried. Redirects are not
 * followed. `now` is epoch ms, `sender` names it in errors.
 */
export function resultOfAnswer({ status, retryAfter }: PushAnswer, now: number, sender = "subscriber"): AttemptResult {
  if (status >= 200 && status < 300) return { outcome: "SUCCESS" };
  if (status === 410) return { outcome: "GONE", error: "the subscriber responded with 410: the subscription is disabled" };
  const retryAfterMs = retryAfter === undefined ? undefined : readRetryAfter(retryAfter, now);
  return {
    outcome: "FAILED",
    error: `the ${sender} responded with ${status}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Seconds or an HTTP date (RFC 9110 §10.2.3); undefined for anything else. */
function readRetryAfter(value: string, now: number): number | undefined {
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
