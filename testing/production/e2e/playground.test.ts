import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RunningPlatform } from "@appserver/testing/kit";
import type { Browser, Page } from "playwright-core";
import { command } from "../../contract/commands.ts";
import { launchChromium, withoutChromium } from "./launch-chromium.ts";

describe("the playground in Chromium", { skip: withoutChromium }, () => {
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

  /** Runs one of the operations of the editor. */
  async function run(page: Page, operation: string): Promise<void> {
    await page.locator("button.graphiql-execute-button").click();
    await page.getByRole("menuitem", { name: operation }).click();
  }
  const resultOf = (page: Page) => page.locator(".graphiql-response");

  test("runs queries and subscriptions, and asks nothing of another origin", async () => {
    const page = await browser.newPage();
    const strange: string[] = [];
    page.on("console", (message) => message.type() === "error" && strange.push(message.text()));
    page.on("pageerror", (error) => strange.push(String(error)));
    page.on("request", (request) => {
      if (!request.url().startsWith(platform.httpUrl) && !/^(blob|data):/.test(request.url())) strange.push(request.url());
    });
    await page.goto(`${platform.httpUrl}/playground`);
    // It is built at its first use.
    await page.locator(".graphiql-query-editor .view-lines").waitFor({ timeout: 60_000 });
    await run(page, "Apps");
    await resultOf(page).getByText("com.example.clock").first().waitFor();
    await run(page, "Events");
    const stop = page.getByRole("button", { name: "Stop query" });
    await stop.waitFor();
    // The subscription begins after the button has changed.
    for (let enabled = false; (await resultOf(page).getByText("systemEvent").count()) === 0; enabled = !enabled) {
      await command(platform, `setAppEnabled(name: "com.example.clock", enabled: ${enabled}) { success }`);
      await page.waitForTimeout(200);
    }
    await stop.click();
    assert.deepEqual(strange, []);
    await page.close();
  });
});
