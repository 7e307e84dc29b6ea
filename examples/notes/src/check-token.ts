import { createHash, timingSafeEqual } from "node:crypto";

/** Returns whether the token is correct. Compares in constant time, so that the duration reveals nothing about the token. */
export function isToken(given: string | undefined, expected: string): boolean {
  return given !== undefined && timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
