import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RunningPlatform } from "@appserver/testing/kit";
import type { Browser } from "playwright-core";
import { launchChromium, withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

describe("the page of the platform in the console", { skip: withoutChromium }, () => {
  let platform: RunningPlatform;
  let browser: Browser;
  let console: ConsolePage;
  before(async () => {
    platform = await RunningPlatform.start({ flags: ["--no-examples"] });
    browser = await launchChromium();
    console = await ConsolePage.open(browser, platform.httpUrl);
  });
  after(async () => {
    await browser?.close();
    await platform?.stop();
  });
  const row = (text: string) => console.page.getByRole("row").filter({ hasText: text });

  test("shows versions, processes and the options with their sources", async () => {
    await console.visit("/console/platform");
    await console.signIn("Ada Admin");
    await row("Node.js").waitFor();
    assert.equal(await console.page.getByRole("link", { name: "REST reference" }).getAttribute("href"), "/api/v2/docs");
    await row("MB").first().waitFor();
    assert.match((await row("MB").first().textContent()) ?? "", /^\S+:\d+serve\d+\.\d+\.\d+/);
    await row("APPSERVER_DATA_DIR").getByText(platform.dataDir).waitFor();
    await console.requireAccessible("the page of the platform");
    console.requireQuiet();
  });

  test("options are searched and filtered, in the address as well", async () => {
    await console.page.getByLabel("Only those that are set").check();
    await console.page.getByLabel("Search options").fill("datadir");
    await console.page.getByText("No option matches").or(row("APPSERVER_DATA_DIR")).waitFor();
    await console.page.waitForURL(/changed=true/);
    await console.page.getByLabel("Search options").fill("");
    await row("APPSERVER_DATA_DIR").waitFor();
    assert.equal(await row("default").count(), 0);
    console.requireQuiet();
  });
});
