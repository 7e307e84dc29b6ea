import { ensureDebianProgram } from "./debian-package.ts";

/** Debian's Chromium, for tests that need what only a browser does; or the reason why there is none. */
export function ensureChromium(): { path: string } | { unavailable: string } {
  return ensureDebianProgram("chromium", "chromium");
}
