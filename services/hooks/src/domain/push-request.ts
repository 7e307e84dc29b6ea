import { type PostForwarding, type SignedPost, signedPost, type WebhookBody } from "@appserver/contracts/webhooks";
import type { ClaimedDelivery } from "./delivery.ts";

/** Builds a delivery as a signed POST. `now` is epoch ms. */
export function pushRequest(
  delivery: ClaimedDelivery,
  platformKeys: readonly Uint8Array[],
  now: number,
  forwarding: PostForwarding,
): SignedPost {
  const { event, appName } = delivery;
  const { id, traceparent } = event;
  const body = new TextEncoder().encode(bodyOf(delivery));
  return signedPost({ appName, id, body, userAgent: "appserver-hooks", traceparent }, platformKeys, now, forwarding);
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
