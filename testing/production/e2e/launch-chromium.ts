import { type Browser, chromium } from "playwright-core";
import { ensureProgram } from "../../../tools/services/debian-programs.ts";

const program = ensureProgram("chromium");

/** Why Chromium cannot be used here; false if it can. */
export const withoutChromium: string | false = "unavailable" in program ? program.unavailable : false;

/** Starts a Chromium without a window. */
export function launchChromium(): Promise<Browser> {
  const executablePath = "path" in program ? program.path : "";
  // Chromium's own sandbox needs a user that is not root.
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
}
