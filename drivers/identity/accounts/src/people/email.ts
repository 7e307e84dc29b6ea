import { hash } from "node:crypto";

/** One `@` with text on both sides, and no blanks. Whether an address exists only a letter to it can tell. */
const form = /^[^\s@]{1,64}@[^\s@]{1,190}$/u;

export function isEmail(text: string): boolean {
  return form.test(text);
}

/** Returns what is stored of an address that a stranger typed. It may be a password in the wrong field. */
export function addressDigest(email: string): string {
  return hash("sha256", emailKey(email), "base64url");
}

/** Returns what two spellings of one address have in common. */
export function emailKey(email: string): string {
  return email.trim().normalize("NFC").toLowerCase();
}
