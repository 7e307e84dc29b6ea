import { hash, randomBytes } from "node:crypto";

/** Scanners for leaked secrets find a token by it. */
const prefix = "aps_";
const secretBytes = 32;
/** 43 characters of the secret, and the first 6 of its checksum. */
const form = /^aps_[\w-]{49}$/;
const checkCharacters = 6;

/** Returns a token that cannot be guessed, for a session or a link. */
export function newToken(): string {
  const secret = prefix + randomBytes(secretBytes).toString("base64url");
  return secret + checksumOf(secret);
}

/** Returns whether a text can be a token. One that was mistyped or cut needs no look-up. */
export function isToken(text: string): boolean {
  return form.test(text) && checksumOf(text.slice(0, -checkCharacters)) === text.slice(-checkCharacters);
}

/** Returns what is stored of a token. No token follows from it. */
export function keyOfToken(token: string): string {
  return hash("sha256", token, "base64url");
}

function checksumOf(secret: string): string {
  return hash("sha256", `checksum ${secret}`, "base64url").slice(0, checkCharacters);
}
