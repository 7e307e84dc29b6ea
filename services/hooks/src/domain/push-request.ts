import { hkdfSync } from "node:crypto";
import { type WebhookBody, webhookHeaders, webhookSignature } from "@appserver/contracts/webhooks";
import type { ClaimedDelivery } from "./delivery.ts";

/**
 * Returns the key that signs POSTs to an app. It is derived from the platform's key, so that nothing is stored, every replica
 * can compute it, and an app cannot compute the key of another.
 */
export function pushKey(platformKey: Uint8Array, appName: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", platformKey, "appserver hooks", `push to ${appName}`, 32));
}

export interface PushRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Builds a delivery as a signed POST (Standard Webhooks), with one signature for each of the platform's keys. `now` is epoch
 * ms.
 */
export function pushRequest(delivery: ClaimedDelivery, platformKeys: readonly Uint8Array[], now: number): PushRequest {
  const { event } = delivery;
  const body = new TextEncoder().encode(bodyOf(delivery));
  const timestamp = String(Math.floor(now / 1000));
  const signatures = platformKeys.map((key) => webhookSignature(pushKey(key, delivery.appName), event.id, timestamp, body));
  return {
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "appserver-hooks",
      [webhookHeaders.id]: event.id,
      [webhookHeaders.timestamp]: timestamp,
      [webhookHeaders.signature]: signatures.join(" "),
      ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
    },
  };
}

/** The data is already JSON and is sent unchanged. */
function bodyOf({ event, attempt }: ClaimedDelivery): string {
  const rest: Omit<WebhookBody, "data"> = {
    type: event.hookName,
    timestamp: event.triggeredAt.toISOString(),
    id: event.id,
    sourceApp: event.sourceApp ?? null,
    orderingKey: event.orderingKey ?? null,
    attempt,
  };
  return `${JSON.stringify(rest).slice(0, -1)},"data":${event.data}}`;
}
