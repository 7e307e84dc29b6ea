import { type KeyObject, sign } from "node:crypto";
import { signatureHeaders, signedMessage } from "@appserver/contracts/signature";

export interface SignRequestInput {
  readonly appName: string;
  /** RSA, 2048 bits or more. */
  readonly privateKey: KeyObject;
  readonly method: string;
  /** Path and query exactly as they will be sent. */
  readonly url: string;
  readonly body: Uint8Array;
  /** Default now. */
  readonly at?: Date;
}

/**
 * Returns the three headers of a signed app request: RSA PKCS#1 v1.5 with SHA-256 over method + url + timestamp + body
 * (docs/interface/signatures.md#signed-requests).
 */
export function signRequest(input: SignRequestInput): Record<string, string> {
  const timestamp = (input.at ?? new Date()).toISOString();
  const message = signedMessage(input.method, input.url, timestamp, input.body);
  return {
    [signatureHeaders.appName]: input.appName,
    [signatureHeaders.timestamp]: timestamp,
    [signatureHeaders.signature]: sign("sha256", message, input.privateKey).toString("base64"),
  };
}
