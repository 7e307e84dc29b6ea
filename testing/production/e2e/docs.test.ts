import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RunningPlatform } from "@appserver/testing/kit";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchChromium, withoutChromium } from "./launch-chromium.ts";
import { requireReadable, viewports } from "./require-readable.ts";

describe("the documentation in Chromium", { skip: withoutChromium }, () => {
  let platform: RunningPlatform;
  let browser: Browser;
  before(async () => {
    platform = await RunningPlatform.start();
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await platform?.stop();
  });

  /** Opens a page and runs `look`. Rejects if the page asks another origin or prints an error. */
  async function visit(path: string, options: BrowserContextOptions, look: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const strange: string[] = [];
    page.on("console", (message) => message.type() === "error" && strange.push(message.text()));
    page.on("request", (request) => {
      if (!request.url().startsWith(platform.httpUrl) && !request.url().startsWith("data:")) strange.push(request.url());
    });
    await page.goto(`${platform.httpUrl}${path}`);
    await look(page);
    assert.deepEqual(strange, []);
    await context.close();
  }

  test("a search by keyboard leads to the section that has the words", async () => {
    await visit("/docs", {}, async (page) => {
      await page.keyboard.press("/");
      await page.keyboard.type("rate limits of a route");
      const results = page.getByRole("listbox", { name: "Results" });
      await results.getByRole("option").first().waitFor();
      await page.keyboard.press("ArrowDown");
      await results.getByRole("option", { selected: true }).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/docs\/.+/);
      await page.getByRole("heading", { level: 1 }).waitFor();
    });
  });

  test("pages are readable without scripts, on a telephone, and in both themes", async () => {
    for (const colorScheme of ["light", "dark"] as const)
      for (const viewport of viewports) await visit("/docs/interface/manifest", { colorScheme, viewport }, requireReadable);
    await visit("/docs/", { javaScriptEnabled: false }, async (page) => {
      await page.getByRole("link", { name: "Your first app" }).first().click();
      await page.getByRole("heading", { name: "Your first app", level: 1 }).waitFor();
    });
  });
});
