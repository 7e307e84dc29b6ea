import type { ConsolePage } from "./console-page.ts";
import { sizes } from "./pictures.ts";

/** Fails if axe finds something serious on the page at the width of a desktop or of a phone, in either theme. */
export async function lookAt(console: ConsolePage, what: string): Promise<void> {
  const { page } = console;
  const before = page.viewportSize();
  for (const size of sizes) {
    await page.setViewportSize(size);
    await console.requireAccessible(what);
  }
  if (before) await page.setViewportSize(before);
}
