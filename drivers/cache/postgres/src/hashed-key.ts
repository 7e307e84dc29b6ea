import { createHash } from "node:crypto";

/** Returns the form in which keys are stored that are only compared: of one length, without addresses and names. */
export function hashedKey(key: string): string {
  return createHash("sha256").update(key).digest("base64url");
}
