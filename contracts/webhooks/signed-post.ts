import { hkdfSync, type KeyObject } from "node:crypto";
import { forwardSignature, forwardSignatureHeader } from "../forwarding/index.ts";
import { webhookHeaders, webhookSignature } from "./standard-webhooks.ts";

/**
 * Returns the key that signs POSTs to an app. It is derived from the platform's key, so that nothing is stored, every replica
 * can compute it, and an app cannot compute the key of another.
 */
export function pushKey(platformKey: Uint8Array, appName: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", platformKey, "appserver hooks", `push to ${appName}`, 32));
}

/** The secret that the platform shares with a backend, and the path and query of the POST there. */
export interface PostForwarding {
  readonly key: KeyObject;
  readonly target: string;
}

/** What the platform posts to the backend of an app. */
export interface PostMessage {
  readonly appName: string;
  /** The idempotency key, identical in every attempt. */
  readonly id: string;
  /** JSON. */
  readonly body: Uint8Array;
  readonly userAgent: string;
  /** Of the cause of the POST (W3C Trace Context). */
  readonly traceparent: string | undefined;
}

export interface SignedPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Signs a POST as Standard Webhooks, with one signature for each of the platform's keys. It is also signed like a forwarded request
 * without a caller (docs/interface/proxy.md#forward-signature), because the backend checks this signature first. `now` is epoch ms.
 */
export function signedPost(
  message: PostMessage,
  platformKeys: readonly Uint8Array[],
  now: number,
  forwarding: PostForwarding,
): SignedPost {
  const { appName, id, body, userAgent, traceparent } = message;
  const seconds = Math.floor(now / 1000);
  const timestamp = String(seconds);
  const signatures = platformKeys.map((key) => webhookSignature(pushKey(key, appName), id, timestamp, body));
  const { key, target } = forwarding;
  return {
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": userAgent,
      [webhookHeaders.id]: id,
      [webhookHeaders.timestamp]: timestamp,
      [webhookHeaders.signature]: signatures.join(" "),
      ...(traceparent === undefined ? {} : { traceparent }),
      [forwardSignatureHeader]: forwardSignature(key, seconds, { method: "POST", target, userId: "", appName: "" }),
    },
  };
}
