import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** In front of the name of an app, it is the user name of the container engine. The password is a ticket for this app. */
export const engineUserPrefix = "appserver-engine+";

/** Longer than a pull may take, and than the clocks of two machines differ. */
const validSeconds = 3_600;
const form = /^([0-9]{1,12})\.([A-Za-z0-9_-]{43})$/;

/** Returns the key of tickets that belongs to one of the platform's encryption keys. */
export function ticketKey(encryptionKey: Uint8Array): Buffer {
  return Buffer.from(hkdfSync("sha256", encryptionKey, "", "appserver registry pull", 32));
}

/** Returns a password with which the images of one app can be pulled for an hour. */
export function issueTicket(key: Uint8Array, app: string, nowMs: number): string {
  const endsAt = String(Math.floor(nowMs / 1_000) + validSeconds);
  return `${endsAt}.${macOf(key, app, endsAt).toString("base64url")}`;
}

/** Returns whether one of the keys has made the ticket for this app, and it has not ended. */
export function isTicket(keys: readonly Uint8Array[], ticket: string, app: string, nowMs: number): boolean {
  const [, endsAt = "", mac = ""] = form.exec(ticket) ?? [];
  if (Number(endsAt) * 1_000 <= nowMs) return false;
  const given = Buffer.from(mac, "base64url");
  return keys.some((key) => timingSafeEqual(macOf(key, app, endsAt), given));
}

function macOf(key: Uint8Array, app: string, endsAt: string): Buffer {
  return createHmac("sha256", key).update(`${app}\n${endsAt}`).digest();
}
