import { createHmac } from "node:crypto";

/** Headers of a hook that the platform posts to an app (Standard Webhooks, https://www.standardwebhooks.com). */
export const webhookHeaders = {
  /** Id of the event: the idempotency key, identical in every attempt. */
  id: "webhook-id",
  /** Time of this attempt, in seconds since the epoch. */
  timestamp: "webhook-timestamp",
  /** `v1,<base64>`. While a key is being replaced: several, separated by spaces. */
  signature: "webhook-signature",
} as const;

/** Maximum difference between the timestamp and the receiver's clock, in seconds, in either direction. */
export const webhookToleranceSeconds = 300;

const secretPrefix = "whsec_";

/** Body of a posted hook. */
export interface WebhookBody {
  /** Name of the hook. */
  readonly type: string;
  /** Time of the trigger: RFC 3339, UTC, milliseconds. */
  readonly timestamp: string;
  readonly data: unknown;
  readonly id: string;
  readonly sourceApp: string | null;
  readonly orderingKey: string | null;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** Body of a system event that is posted to a notification target (docs/interface/notifications.md#webhooks). */
export interface EventWebhookBody {
  /** Type of the event, as people see it: `APP_INSTALLED`. */
  readonly type: string;
  /** Time of the event: RFC 3339, UTC, milliseconds. */
  readonly timestamp: string;
  readonly data: {
    readonly severity: "INFO" | "WARNING" | "ERROR";
    /** One sentence. */
    readonly message: string;
    /** Null for an event that concerns no app. */
    readonly appName: string | null;
    readonly actor: string | null;
    readonly traceId: string | null;
    /** Fields of the event (docs/reference/events.md). */
    readonly details: unknown;
  };
  readonly id: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** Formats a key as the secret that its app receives. */
export function webhookSecret(key: Uint8Array): string {
  return secretPrefix + Buffer.from(key).toString("base64");
}

/** Returns the key in a secret. Throws RangeError if the secret is invalid. */
export function webhookKey(secret: string): Uint8Array {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : "";
  const key = Buffer.from(encoded, "base64");
  if (key.length < 16) throw new RangeError(`a webhook secret is "${secretPrefix}" and base64 of 16 bytes or more`);
  return key;
}

/** Returns one signature, `v1,<base64>`: HMAC-SHA256 over id, timestamp and body, separated by dots. */
export function webhookSignature(key: Uint8Array, id: string, timestamp: string, body: Uint8Array): string {
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}
