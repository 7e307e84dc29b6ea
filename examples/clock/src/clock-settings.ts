import { createHmac } from "node:crypto";
import type { AppSettings } from "@appserver/sdk";

/** Returns the setting `clock.timezone` if it is a known time zone, else the time zone of the machine. */
export function timezone(settings: AppSettings): string {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    return new Intl.DateTimeFormat(undefined, { timeZone: settings.text("clock.timezone", own) }).resolvedOptions().timeZone;
  } catch {
    return own;
  }
}

/**
 * Returns a proof that this clock returned the time `now`: its HMAC-SHA256 with the secret setting `clock.seal_key`, in hex.
 * Returns null if the setting is not set.
 */
export function seal(settings: AppSettings, now: string): string | null {
  const key = settings.text("clock.seal_key");
  return key === undefined ? null : createHmac("sha256", key).update(now).digest("hex");
}
