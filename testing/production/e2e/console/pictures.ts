import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** Where the pictures of the pages are kept, for a person to look at. Without it, none are taken. */
const folder = process.env["CONSOLE_SCREENSHOTS"];

/** The widths of a desktop and of a phone. */
export const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

/** Takes pictures of a page at the width of a desktop and of a phone, in both themes. `what` names the files. */
export async function takePictures(page: Page, what: string): Promise<void> {
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  const before = page.viewportSize();
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const name = what.replaceAll("/", " ").trim();
      await page.screenshot({ path: join(folder, `${name}-${size.width}-${colorScheme}.png`) });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  if (before) await page.setViewportSize(before);
}

/** Stores figures that a test has measured next to the pictures. */
export async function storeText(name: string, text: string): Promise<void> {
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.txt`), `${text}\n`);
}
