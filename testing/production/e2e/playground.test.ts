import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RunningPlatform } from "@appserver/testing/kit";
import type { Browser, Page } from "playwright-core";
import { command } from "../../contract/commands.ts";
import { launchChromium, withoutChromium } from "./launch-chromium.ts";
import { requireReadable, viewports } from "./require-readable.ts";

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
    await page.getByRole("combobox", { name: "Operation to run" }).selectOption({ label: operation });
    await page.getByRole("button", { name: "Run", exact: true }).click();
  }
  const resultOf = (page: Page) => page.getByRole("region", { name: "Response" });
  const editorOf = (page: Page) => page.getByRole("textbox", { name: "Operations" });

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
    await editorOf(page).waitFor({ timeout: 60_000 });
    await run(page, "Apps");
    await resultOf(page).getByText("com.example.clock").first().waitFor();
    await run(page, "Events");
    const stop = page.getByRole("button", { name: "Stop", exact: true });
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

  test("completes fields, marks what the schema does not have, and sends variables and headers", async () => {
    const page = await browser.newPage();
    await page.goto(`${platform.httpUrl}/playground`);
    await editorOf(page).fill("query One($name: String!) { app(name: $name) { nam } }");
    await page.locator(".cm-lintRange-error").first().waitFor();
    await page.keyboard.press("End");
    for (let presses = 0; presses < 4; presses++) await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Control+Space");
    await page.getByRole("option", { name: /^name/ }).click();
    await page.locator(".cm-lintRange-error").waitFor({ state: "detached" });
    await page.getByRole("textbox", { name: "Variables, as JSON" }).fill('{ "name": "com.example.notes" }');
    await page.keyboard.press("Control+Enter");
    await resultOf(page).getByText("com.example.notes").waitFor();
    await page.getByRole("tab", { name: "Headers" }).click();
    await page.getByRole("textbox", { name: "Headers, as JSON" }).fill('{ "authorization": Bearer }');
    await page.keyboard.press("Control+Enter");
    await resultOf(page).getByText("Headers: ").waitFor();
    await page.reload();
    await editorOf(page).getByText("query One").waitFor();
    await page.close();
  });

  test("shows the schema, leads back, and is accessible on desktops and phones in both themes", async () => {
    for (const viewport of viewports)
      for (const colorScheme of ["light", "dark"] as const) {
        const page = await browser.newPage({ viewport, colorScheme, bypassCSP: true });
        await page.goto(`${platform.httpUrl}/playground`);
        await page.getByRole("button", { name: "Schema", exact: true }).click();
        const schema = page.getByRole("complementary", { name: "Schema" });
        await schema.getByRole("searchbox").fill("installApp");
        await schema.getByRole("button", { name: "Mutation.installApp", exact: true }).click();
        await schema.getByRole("heading", { name: "Mutation" }).waitFor();
        await page.getByRole("link", { name: "Console" }).waitFor();
        await requireReadable(page);
        await page.close();
      }
  });
});
