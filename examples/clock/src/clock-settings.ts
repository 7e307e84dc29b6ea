import { createHmac } from "node:crypto";
import type { AppSettings } from "@appserver/sdk";

/** The setting `clock.timezone` where it names one that is known here, else the machine's. */
export function timezone(settings: AppSettings): string {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    return new Intl.DateTimeFormat(undefined, { timeZone: settings.text("clock.timezone", own) }).resolvedOptions().timeZone;
  } catch {
    return own;
  }
}

/**
 * Proof that this clock told the time: HMAC-SHA256 of it under the secret setting `clock.seal_key`, in hex; null while that
 * is not set.
 */
export function seal(settings: AppSettings, now: string): string | null {
  const key = settings.text("clock.seal_key");
  return key === undefined ? null : createHmac("sha256", key).update(now).digest("hex");
}
