import { timingSafeEqual } from "node:crypto";
import {
  type WebhookBody,
  webhookHeaders,
  webhookKey,
  webhookSignature,
  webhookToleranceSeconds,
} from "@appserver/contracts/webhooks";
import type { Hook } from "./hook.ts";

/** Thrown if a posted hook does not come from the platform, or its timestamp is too old or too new. */
export class PushSignatureError extends Error {
  override readonly name = "PushSignatureError";
}

export interface PostedHook {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The received bytes, unchanged. */
  readonly body: Uint8Array;
}

/**
 * Checks the signature of a posted hook (Standard Webhooks) and parses it. `secret` is the app's secret from `GetPushSecret`,
 * `now` is epoch ms. Throws {@link PushSignatureError}, to which the caller responds with 401.
 */
export function verifyPush(secret: string, posted: PostedHook, now: number = Date.now()): Hook {
  const id = header(posted, webhookHeaders.id);
  const timestamp = header(posted, webhookHeaders.timestamp);
  if (!/^\d{1,12}$/.test(timestamp)) throw new PushSignatureError("the timestamp is not a number of seconds");
  if (Math.abs(now / 1000 - Number(timestamp)) > webhookToleranceSeconds)
    throw new PushSignatureError(`the timestamp differs from the clock by more than ${webhookToleranceSeconds} s`);
  const expected = Buffer.from(webhookSignature(webhookKey(secret), id, timestamp, posted.body));
  const given = header(posted, webhookHeaders.signature).split(" ");
  if (!given.some((signature) => isSame(Buffer.from(signature), expected)))
    throw new PushSignatureError("the signature does not match");
  return read(posted, id);
}

function isSame(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function header({ headers }: PostedHook, name: string): string {
  const value = headers[name];
  if (typeof value === "string" && value !== "") return value;
  throw new PushSignatureError(`the header ${name} is missing`);
}

/** Parses the body without further checks: its signature proves that the platform wrote it. */
function read({ headers, body: bytes }: PostedHook, id: string): Hook {
  const body = JSON.parse(new TextDecoder().decode(bytes)) as WebhookBody;
  const { traceparent } = headers;
  return {
    id,
    name: body.type,
    sourceApp: body.sourceApp ?? undefined,
    data: body.data,
    triggeredAt: new Date(body.timestamp),
    attempt: body.attempt,
    orderingKey: body.orderingKey ?? undefined,
    traceparent: typeof traceparent === "string" ? traceparent : undefined,
  };
}
