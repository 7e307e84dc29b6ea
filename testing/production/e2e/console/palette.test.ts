import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type PlatformUnderTest, startPlatform } from "@appserver/testing/kit";
import type { Locator } from "playwright-core";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

const clock = "com.example.clock";

describe("the command palette of the console", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  before(async () => {
    platform = await startPlatform();
    console = await ConsolePage.launch(platform);
    await console.visit("/console");
    await console.signIn("Ada Admin");
  });
  after(async () => {
    await console?.quit();
    await platform?.stop();
  });
  const press = (key: string) => console.page.keyboard.press(key);
  const type = (text: string) => console.page.keyboard.type(text);
  const option = (name: string | RegExp): Locator => console.dialog.getByRole("option", { name });
  const closed = () => console.dialog.waitFor({ state: "detached" });

  async function open(): Promise<void> {
    await press("Control+K");
    await option("Overview").waitFor();
    await console.dialog.getByLabel("Search").and(console.page.locator(":focus")).waitFor();
  }

  test("opens a page of the administration with the keyboard alone", async () => {
    await open();
    await console.lookAt("palette");
    await type("hoo");
    await option("Overview").waitFor({ state: "detached" });
    await press("Enter");
    await console.page.waitForURL(/\/console\/hooks$/);
    await console.page.getByRole("heading", { name: "Hooks", level: 1 }).waitFor();
    await closed();
    console.requireQuiet();
  });

  test("finds apps, their pages and their tabs; arrows choose, Escape closes", async () => {
    await open();
    await type("clock");
    await option(`Clock › Settings ${clock}`).waitFor();
    await option(`Restart Clock ${clock}`).waitFor();
    await console.lookAt("palette of an app");
    await press("Escape");
    await closed();
    await open();
    await type("clock logs");
    await option(`Clock › Logs ${clock}`).waitFor();
    await press("Enter");
    await console.page.waitForURL(/\/console\/apps\/com\.example\.clock\/logs$/);
    await open();
    await type("new note");
    await option(/New note/).waitFor();
    await press("Enter");
    await console.page.waitForURL(/\/notes\/new$/);
    await console.visit("/console");
    await console.text("Recent events");
    await open();
    // The pages of apps arrive last, and the first entry is chosen again then.
    await option(/New note/).waitFor();
    await press("ArrowDown");
    await press("ArrowDown");
    await press("ArrowUp");
    const active = console.dialog.getByRole("combobox", { name: "Search" });
    const id = await active.getAttribute("aria-activedescendant");
    const chosen = console.dialog.locator("[data-combobox-selected]");
    assert.equal(await chosen.getAttribute("id"), id);
    assert.equal(await chosen.innerText(), await console.dialog.getByRole("option").nth(1).innerText());
    await press("Escape");
    await closed();
    console.requireQuiet();
  });

  test("runs commands on an app, and asks before it is uninstalled", async () => {
    await open();
    await type("disable clock");
    await option(`Disable Clock ${clock}`).waitFor();
    await press("Enter");
    await console.text("Clock is disabled");
    await open();
    await type("enable clock");
    await option(`Enable Clock ${clock}`).waitFor();
    await press("Enter");
    await console.text("Clock is enabled");
    await open();
    await type("uninstall clock");
    await option(`Uninstall Clock ${clock}`).waitFor();
    await press("Enter");
    await console.text("Uninstall Clock?");
    await console.click("Cancel", console.dialog);
    await closed();
    await open();
    await type("theme dark");
    await press("Enter");
    await console.page.getByRole("button", { name: "Theme: Dark" }).waitFor();
    console.requireQuiet();
  });

  test("says that nothing matches", async () => {
    await console.click("Search or jump to…");
    await option("Overview").waitFor();
    await type("no such thing");
    await console.text("Nothing matches");
    await console.requireAccessible("the palette without results");
    await press("Escape");
    await closed();
    console.requireQuiet();
  });

  test("a phone has it too", async () => {
    await console.page.setViewportSize({ width: 390, height: 844 });
    await console.click("Search or jump to…");
    await type("audit");
    await option("Audit log").click();
    await console.page.waitForURL(/\/console\/audit$/);
    console.requireQuiet();
  });

  test("a user without permissions finds neither apps nor administration", async () => {
    const guest = await ConsolePage.open(console.browser, platform);
    await guest.visit("/console");
    await guest.signIn("Bob Guest");
    await guest.page.keyboard.press("Control+K");
    const all = guest.dialog.getByRole("option");
    await all.first().waitFor();
    const texts = await all.allInnerTexts();
    assert.ok(!texts.some((text) => /Hooks|Audit|Clock ›/.test(text)), texts.join(", "));
    guest.requireQuiet();
    await guest.close();
  });
});
