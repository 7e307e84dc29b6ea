import { ensureDebianProgram } from "./debian-package.ts";

/** Returns the path of Debian's Chromium, for tests that need a browser, or the reason why it is unavailable. */
export function ensureChromium(): { path: string } | { unavailable: string } {
  return ensureDebianProgram("chromium", "chromium");
}
