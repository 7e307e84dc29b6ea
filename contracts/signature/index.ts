/** Headers of a signed app request (docs/interface/signatures.md#signed-requests). */
export const signatureHeaders = {
  appName: "x-app-name",
  signature: "x-app-signature",
  timestamp: "x-request-timestamp",
} as const;

/**
 * Metadata key of the registration token (`registration: token`). The platform checks it before it reads the message. It also
 * accepts the token in the message, if the message has at most {@link unprovenMessageBytes}.
 */
export const registrationTokenHeader = "x-registration-token";

/** Maximum size of a gRPC message from an unauthenticated caller, in bytes. */
export const unprovenMessageBytes: number = 64 * 1024;

/** Maximum seconds that a timestamp may be in the past or in the future (docs/interface/signatures.md#timestamp-window). */
export const signatureWindow = { pastSeconds: 300, aheadSeconds: 30 } as const;

/** Matches ISO 8601 UTC, seconds with up to nine decimals: `2026-01-31T12:00:00Z`, `2026-01-31T12:00:00.000Z`. */
export const timestampPattern: RegExp =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;

const encoder = new TextEncoder();

/**
 * Returns the signed message: method + url + timestamp + body, without delimiters (docs/interface/signatures.md#signed-requests).
 * `url` is path and query as sent, or the absolute URL. The method is converted to upper case.
 */
export function signedMessage(method: string, url: string, timestamp: string, body: Uint8Array): Uint8Array {
  const head = encoder.encode(method.toUpperCase() + url + timestamp);
  const message = new Uint8Array(head.length + body.length);
  message.set(head, 0);
  message.set(body, head.length);
  return message;
}
