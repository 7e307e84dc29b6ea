import { createHash, timingSafeEqual } from "node:crypto";

/** Whether it is the expected one, in a time that does not tell how much of it is right. */
export function isToken(given: string | undefined, expected: string): boolean {
  return given !== undefined && timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
