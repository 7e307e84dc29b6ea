import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ConsolePage } from "./console-page.ts";

/** Where the pictures of the pages are kept, for a person to look at. Without it, none are taken. */
const folder = process.env["CONSOLE_SCREENSHOTS"];
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

/** Fails if axe finds something serious on the page at the width of a desktop or of a phone, in either theme. Takes pictures of each. */
export async function lookAt(console: ConsolePage, what: string): Promise<void> {
  const { page } = console;
  const before = page.viewportSize();
  for (const size of sizes) {
    await page.setViewportSize(size);
    await console.requireAccessible(`${what} at ${size.width} px`);
    for (const colorScheme of folder ? (["light", "dark"] as const) : []) {
      await page.emulateMedia({ colorScheme });
      await mkdir(folder ?? "", { recursive: true });
      await page.screenshot({ path: join(folder ?? "", `${what}-${size.width}-${colorScheme}.png`) });
    }
    await page.emulateMedia({ colorScheme: "light" });
  }
  if (before) await page.setViewportSize(before);
}
