import assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";

/** A desktop and a phone. */
export const viewports = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

/** Fails if the page is wider than the screen, or axe finds something serious or critical on it. */
export async function requireReadable(page: Page): Promise<void> {
  const { width = 0 } = page.viewportSize() ?? {};
  const needed = await page.evaluate<number>("document.scrollingElement.scrollWidth");
  assert.ok(needed <= width, `${page.url()}: ${needed} of ${width} pixels`);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>("axe.run()");
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  assert.deepEqual(
    serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    [],
  );
}
