import type { Browser } from "playwright-core";
import { ensureChromium } from "../../../tools/services/chromium.ts";
import { startChromium } from "../../kit/chromium.ts";

const program = ensureChromium();

/** Why Chromium cannot be used here; false if it can. */
export const withoutChromium: string | false = "unavailable" in program ? program.unavailable : false;

export function launchChromium(): Promise<Browser> {
  return startChromium("path" in program ? program.path : "");
}
