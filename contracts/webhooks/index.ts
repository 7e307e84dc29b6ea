import { createHmac } from "node:crypto";

/** Headers of a hook that is posted to an app (Standard Webhooks, https://www.standardwebhooks.com). */
export const webhookHeaders = {
  /** Id of the event: the idempotency key, the same at every attempt. */
  id: "webhook-id",
  /** Seconds since the epoch, of this attempt. */
  timestamp: "webhook-timestamp",
  /** `v1,<base64>`; several, separated by spaces, while a key is being replaced. */
  signature: "webhook-signature",
} as const;

/** Seconds that the timestamp may be away from the receiver's clock, either way. */
export const webhookToleranceSeconds = 300;

const secretPrefix = "whsec_";

/** Body of a posted hook. */
export interface WebhookBody {
  /** Name of the hook. */
  readonly type: string;
  /** When it was triggered: RFC 3339, UTC, milliseconds. */
  readonly timestamp: string;
  readonly data: unknown;
  readonly id: string;
  readonly sourceApp: string | null;
  readonly orderingKey: string | null;
  /** 1 for the first. */
  readonly attempt: number;
}

/** A key as it is shown to its app. */
export function webhookSecret(key: Uint8Array): string {
  return secretPrefix + Buffer.from(key).toString("base64");
}

/** The key in a secret. Throws RangeError for what is none. */
export function webhookKey(secret: string): Uint8Array {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : "";
  const key = Buffer.from(encoded, "base64");
  if (key.length < 16) throw new RangeError(`a webhook secret is "${secretPrefix}" and base64 of 16 bytes or more`);
  return key;
}

/** One signature, `v1,<base64>`: HMAC-SHA256 over id, timestamp and body, separated by dots. */
export function webhookSignature(key: Uint8Array, id: string, timestamp: string, body: Uint8Array): string {
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}
