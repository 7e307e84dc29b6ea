import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { approvePermissions, eventually, nextNotes, RunningPlatform, untilStatus } from "@appserver/testing/kit";
import type { Browser, Page } from "playwright-core";
import { command } from "../../contract/commands.ts";
import { approveUpgrade } from "./approve-upgrade.ts";
import { launchChromium, withoutChromium } from "./launch-chromium.ts";

const name = "com.example.notes";
const path = `/apps/${name}/assets/index.html`;

describe("the page of notes 1.1 in Chromium", { skip: withoutChromium }, () => {
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

  /** Opens the page with the session of a visitor, and runs `work` in it. */
  async function visit(work: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext();
    try {
      const [cookie = "", value = ""] = (await platform.login("admin")).split("=");
      await context.addCookies([{ name: cookie, value, url: platform.httpUrl, httpOnly: true, sameSite: "Lax" }]);
      const page = await context.newPage();
      await page.goto(platform.httpUrl + path);
      await work(page);
    } finally {
      await context.close();
    }
  }

  test("an upgrade brings the page, and a rollback takes it away", async () => {
    await untilStatus(platform.httpUrl, path, 404);
    await platform.register(await nextNotes());
    assert.deepEqual(await approvePermissions(platform, name), []);
    await approveUpgrade(platform, name);
    await command(platform, `upgradeApp(name: "${name}") { success }`);
    await untilStatus(platform.httpUrl, path, 200);
    await visit(async (page) => {
      for (const text of ["Buy milk", "Buy bread", "Call Ada"]) {
        await page.getByLabel("New note").fill(text);
        await page.getByRole("button", { name: "Add note" }).click();
        // The form is empty when the note is stored.
        await eventually(
          () => page.getByLabel("New note").inputValue(),
          (left) => left === "",
          { what: `${text} is stored` },
        );
      }
      await page.getByLabel("Search notes").fill("buy BREAD");
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByText("1 found").waitFor();
      const found = page.getByRole("region", { name: "Found notes, newest first" });
      assert.deepEqual(await found.locator(".notes-text").allTextContents(), ["Buy bread"]);
    });
    await command(platform, `revokePermissions(name: "${name}", scopes: ["page:origin"]) { success }`);
    const sandboxed = async () => (await fetch(platform.httpUrl + path)).headers.get("content-security-policy");
    await eventually(sandboxed, (policy) => policy === "sandbox", { what: "the page is sandboxed" });
    await command(platform, `rollbackApp(name: "${name}") { success }`);
    await untilStatus(platform.httpUrl, path, 404);
  });
});
