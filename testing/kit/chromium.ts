import { type Browser, chromium } from "playwright-core";
import { findProgram } from "../../tools/services/debian-package.ts";

/** Starts a Chromium without a window. */
export function startChromium(executablePath: string): Promise<Browser> {
  // Chromium's own sandbox needs a user that is not root.
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
}

/** Returns the path of the Chromium that is installed. Undefined if there is none. */
export function presentChromium(): string | undefined {
  return findProgram("chromium");
}
