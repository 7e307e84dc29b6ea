import { hkdfSync, type KeyObject } from "node:crypto";
import { forwardSignature, forwardSignatureHeader } from "@appserver/contracts/forwarding";
import { type WebhookBody, webhookHeaders, webhookSignature } from "@appserver/contracts/webhooks";
import type { ClaimedDelivery } from "./delivery.ts";

/**
 * Returns the key that signs POSTs to an app. It is derived from the platform's key, so that nothing is stored, every replica
 * can compute it, and an app cannot compute the key of another.
 */
export function pushKey(platformKey: Uint8Array, appName: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", platformKey, "appserver hooks", `push to ${appName}`, 32));
}

/** The secret that the platform shares with a backend, and the path and query of the hook there. */
export interface PushForwarding {
  readonly key: KeyObject;
  readonly target: string;
}

export interface PushRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Builds a delivery as a signed POST (Standard Webhooks), with one signature for each of the platform's keys. It is also signed
 * like a forwarded request without a caller (docs/interface/proxy.md#forward-signature), because the backend checks this
 * signature first. `now` is epoch ms.
 */
export function pushRequest(
  delivery: ClaimedDelivery,
  platformKeys: readonly Uint8Array[],
  now: number,
  forwarding: PushForwarding,
): PushRequest {
  const { event } = delivery;
  const body = new TextEncoder().encode(bodyOf(delivery));
  const seconds = Math.floor(now / 1000);
  const timestamp = String(seconds);
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
      [forwardSignatureHeader]: signatureOf(forwarding, seconds),
    },
  };
}

function signatureOf({ key, target }: PushForwarding, seconds: number): string {
  return forwardSignature(key, seconds, { method: "POST", target, userId: "", appName: "" });
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
