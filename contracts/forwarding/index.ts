import type { KeyObject } from "node:crypto";
import { hmacSha256 } from "./hmac-sha256.ts";

export { redirectsHeader, refusedRedirects } from "./redirects.ts";

/** Header with which the platform signs a request that it sends to a backend (docs/interface/proxy.md#forward-signature). */
export const forwardSignatureHeader = "x-appserver-signature";

/** Name of a user, for apps with the permission `people:read`, in percent-encoded UTF-8 (docs/interface/proxy.md#people). */
export const userNameHeader = "x-user-name";

/** E-mail address of a user, in the same way as {@link userNameHeader}. */
export const userEmailHeader = "x-user-email";

/** Maximum difference between the time of a signature and the receiver's clock, in seconds, in either direction. */
export const forwardSignatureToleranceSeconds = 60;

/** The signed parts of a forwarded request, as the backend receives them. */
export interface ForwardedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** X-User-ID. Empty if the request has none. */
  readonly userId: string;
  /** X-App-Name. Empty if the request has none. */
  readonly appName: string;
  /** X-Machine-ID. Empty or undefined if the request has none. */
  readonly machineId?: string | undefined;
  /** X-User-Name. Empty or undefined if the request has none. */
  readonly userName?: string | undefined;
  /** X-User-Email. Empty or undefined if the request has none. */
  readonly userEmail?: string | undefined;
}

/** Returns the value of the header: `t=<seconds since the epoch>;v1=<base64 of an HMAC-SHA256>`. */
export function forwardSignature(key: KeyObject, seconds: number, request: ForwardedRequest): string {
  return `t=${seconds};v1=${forwardDigest(key, String(seconds), request)}`;
}

/**
 * Returns the base64 of the HMAC-SHA256 over time, method, target, user id and app name, separated by line feeds. The id of a service
 * account follows if there is one. If the user has a name or an address, three texts follow: that id, the name and the address. The
 * number of texts says which they are, because none contains a line feed.
 */
export function forwardDigest(key: KeyObject, seconds: string, request: ForwardedRequest): string {
  const { method, target, userId, appName, machineId = "", userName = "", userEmail = "" } = request;
  const isNamed = userName !== "" || userEmail !== "";
  // Node reads headers as Latin-1, so each character is one byte of the request.
  let message = `${seconds}\n${method}\n${target}\n${userId}\n${appName}`;
  if (isNamed || machineId !== "") message += `\n${machineId}`;
  if (isNamed) message += `\n${userName}\n${userEmail}`;
  return hmacSha256(key, message);
}

const form = /^t=(?<seconds>\d{1,12});v1=(?<digest>[A-Za-z0-9+/]{43}=)$/;

/** Returns the parts of the header. Undefined if the header does not have the form of {@link forwardSignature}. */
export function parseForwardSignature(value: string): { readonly seconds: string; readonly digest: string } | undefined {
  const { seconds, digest } = form.exec(value)?.groups ?? {};
  return seconds === undefined || digest === undefined ? undefined : { seconds, digest };
}

/**
 * Why a server has no secret to sign a request with: it has not read the secret yet (`awaited`), or cannot open it with its
 * encryption keys (`unreadable`). Nothing is forwarded without a signature.
 */
export type MissingForwardKey = "awaited" | "unreadable";
