import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/** Scanners for leaked secrets find a token by its prefix, and recognise it by its checksum. */
export const machineTokenPrefix = "asv_";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 30 digits of base 62 are 178 random bits. */
const secretLength = 30;
const checksumLength = 6;
const form = new RegExp(`^${machineTokenPrefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/** Returns a new token of a service account: prefix, secret and checksum (docs/interface/permissions.md#service-accounts). */
export function newMachineToken(): string {
  const secret = Array.from({ length: secretLength }, () => digits[randomInt(digits.length)]).join("");
  return machineTokenPrefix + secret + checksumOf(secret);
}

/** Returns what is stored of a token. Undefined for a text that cannot be one: it needs no look-up. No token follows from it. */
export function keyOfMachineToken(token: string): string | undefined {
  if (!form.test(token)) return undefined;
  const secret = token.slice(machineTokenPrefix.length, -checksumLength);
  return checksumOf(secret) === token.slice(-checksumLength) ? hash("sha256", token, "base64url") : undefined;
}

/** CRC-32 in base 62, as tokens of GitHub have it. It finds typing errors and proves nothing. */
function checksumOf(secret: string): string {
  let text = "";
  for (let rest = crc32(secret); text.length < checksumLength; rest = Math.floor(rest / digits.length))
    text = `${digits[rest % digits.length]}${text}`;
  return text;
}
