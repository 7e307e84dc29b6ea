import { createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import {
  forwardDigest,
  forwardSignatureHeader,
  forwardSignatureToleranceSeconds,
  parseForwardSignature,
  userEmailHeader,
  userNameHeader,
} from "@appserver/contracts/forwarding";
import { webhookKey } from "@appserver/contracts/webhooks";

/** Thrown if a request was not sent by the platform, or too long ago. The response to it is 401. */
export class ForwardSignatureError extends Error {
  override readonly name = "ForwardSignatureError";

  constructor(reason: string) {
    super(`the request is not signed by the platform: ${reason}`);
  }
}

/** A received request, as `node:http` has it. */
export interface ReceivedRequest {
  readonly method?: string | undefined;
  /** Path and query as received. */
  readonly url?: string | undefined;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

const secretBytes = 32;

/**
 * Returns the key of a secret that an app shares with the platform: the base64 of the file `forward-secret`, or a push secret
 * (`whsec_…`). Throws RangeError for other texts.
 */
export function forwardKey(secret: string): KeyObject {
  if (secret.startsWith("whsec_")) return createSecretKey(webhookKey(secret));
  const bytes = Buffer.from(secret.trim(), "base64");
  if (bytes.length !== secretBytes) throw new RangeError(`a forward secret is base64 of ${secretBytes} bytes`);
  return createSecretKey(bytes);
}

/**
 * Checks that the platform sent the request at most 60 s ago, with this method, path and query, and with these headers of the caller
 * (docs/interface/proxy.md#forward-signature). `now` is epoch ms. Throws {@link ForwardSignatureError}.
 */
export function verifyForwarded(key: KeyObject, request: ReceivedRequest, now: number = Date.now()): void {
  const header = request.headers[forwardSignatureHeader];
  if (header === undefined) throw new ForwardSignatureError(`the header ${forwardSignatureHeader} is missing`);
  const given = typeof header === "string" ? parseForwardSignature(header) : undefined;
  if (!given)
    throw new ForwardSignatureError(`the header ${forwardSignatureHeader} is not of the form t=<seconds>;v1=<base64>`);
  if (Math.abs(now / 1_000 - Number(given.seconds)) > forwardSignatureToleranceSeconds) {
    throw new ForwardSignatureError(`its time differs from the clock by more than ${forwardSignatureToleranceSeconds} s`);
  }
  const { method = "", url: target = "" } = request;
  const identity = {
    userId: identityHeader(request, "x-user-id"),
    appName: identityHeader(request, "x-app-name"),
    machineId: identityHeader(request, "x-machine-id"),
    userName: identityHeader(request, userNameHeader),
    userEmail: identityHeader(request, userEmailHeader),
  };
  const expected = forwardDigest(key, given.seconds, { method, target, ...identity });
  if (!timingSafeEqual(Buffer.from(given.digest), Buffer.from(expected))) {
    throw new ForwardSignatureError("the signature does not match");
  }
}

/** An empty header would have the same signature as no header, and apps may treat them differently. */
function identityHeader({ headers }: ReceivedRequest, name: string): string {
  const value = headers[name];
  if (value === undefined) return "";
  if (typeof value !== "string" || value === "") throw new ForwardSignatureError(`the header ${name} is empty or repeated`);
  return value;
}
