import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually, type PlatformUnderTest, startPlatform, uniqueName } from "@appserver/testing/kit";
import type { Browser } from "playwright-core";
import { presentChromium, startChromium } from "../kit/chromium.ts";

const chromium = presentChromium();
/** The console is built at its first use. */
const firstLoadMs = 60_000;

describe("the console", { skip: chromium === undefined && "no browser" }, () => {
  let platform: PlatformUnderTest;
  let browser: Browser;
  before(async () => {
    platform = await startPlatform();
    browser = await startChromium(chromium ?? "");
  });
  after(async () => {
    await browser?.close();
    await platform?.stop();
  });

  test("a user signs in, and two clicks later sees a page of an app", async () => {
    const text = `Written in a browser, ${uniqueName("note")}`;
    const headers = { "content-type": "application/json", cookie: await platform.login("admin") };
    const body = JSON.stringify({ text });
    const create = () => fetch(`${platform.httpUrl}/api/apps/com.example.notes/notes`, { method: "POST", headers, body });
    // Other files restart the app.
    await eventually(create, ({ status }) => status === 201);
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    page.setDefaultTimeout(firstLoadMs);
    await page.goto(platform.httpUrl);
    await page.getByRole("button", { name: /Ada Admin/ }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Notes", exact: true }).click();
    await page.frameLocator("iframe").getByText(text).waitFor();
    assert.deepEqual(problems, []);
  });
});
