import { randomInt } from "node:crypto";

/** RFC 8628 §6.1: no vowels, so that no word appears, and no characters that look like others. 20⁸ codes. */
const alphabet = "BCDFGHJKLMNPQRSTVWXZ";
const length = 8;
const validCode = new RegExp(`^[${alphabet}]{${length}}$`);

export function newUserCode(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}

/** `WDJB-MJHT` */
export function shownCode(code: string): string {
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`;
}

/** Returns the code that a user has typed, in any case and with any separators. Undefined if it cannot be one. */
export function typedCode(typed: string): string | undefined {
  const code = typed
    .slice(0, 64)
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .toUpperCase();
  return validCode.test(code) ? code : undefined;
}
