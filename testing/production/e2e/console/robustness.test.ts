import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { type PlatformUnderTest, startPlatform } from "@appserver/testing/kit";
import type { Browser, Route } from "playwright-core";
import { purgeApp } from "../../../contract/commands.ts";
import { launchChromium, withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";
import { formsApp, formsManifest } from "./forms-app.ts";
import { SettingsPage } from "./settings-page.ts";

/** The scripts of the pages of hooks, of the palette and of charts, as the build names them. */
const scripts = /\/console\/assets\/(?:hooks|palette|traffic)-[^/]*\.js$/;

/** Tries to make HTML and scripts of texts. Returns what was not refused. */
const textsAsCode = `(() => {
  const tries = {
    html: () => { document.createElement("div").innerHTML = "<b>text</b>"; },
    script: () => { document.createElement("script").textContent = "1"; },
    address: () => { document.createElement("script").src = "/console/assets/none.js"; },
    frame: () => { document.createElement("iframe").srcdoc = "<b>text</b>"; },
    parsed: () => { new DOMParser().parseFromString("<b>text</b>", "text/html"); },
  };
  return Object.entries(tries).flatMap(([name, run]) => {
    try { run(); return [name]; } catch { return []; }
  });
})()`;

describe("the console after an update of the platform, in Chromium", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let browser: Browser;
  let console: ConsolePage;
  before(async () => {
    platform = await startPlatform();
    await platform.register(await formsManifest());
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await purgeApp(platform, formsApp);
    await platform?.stop();
  });
  beforeEach(async () => {
    await console?.close();
    console = await ConsolePage.open(browser, platform);
    await console.visit("/console/events");
    await console.signIn("Ada Admin");
    await console.page.getByRole("heading", { name: "Events", level: 1 }).waitFor();
    await console.page.evaluate("window.unloaded = false");
  });
  const heading = (name: string) => console.page.getByRole("heading", { name, level: 1 }).waitFor();
  const missing = (route: Route) => route.fulfill({ status: 404, body: "" });
  const isLoadedAgain = async () => (await console.page.evaluate("window.unloaded")) === undefined;
  /** The browser itself reports what it could not load. */
  const quiet = () => console.requireQuiet("reading 'Hooks'", "404", "ERR_FAILED", "ERR_INTERNET_DISCONNECTED");

  test("a page whose script is missing is loaded again, and is shown then", async () => {
    await console.page.route(scripts, missing);
    await console.page.route("**/console/hooks", async (route) => {
      if (route.request().isNavigationRequest()) await console.page.unroute(scripts);
      await route.continue();
    });
    await console.page.getByRole("link", { name: "Hooks" }).click();
    await heading("Hooks");
    assert.ok(await isLoadedAgain());
    quiet();
  });

  test("it is loaded again once, and says then what is wrong", async () => {
    await console.page.route(scripts, missing);
    await console.page.getByRole("link", { name: "Hooks" }).click();
    await console.text("This page has failed");
    await console.text("A script of this page could not be loaded.");
    await console.requireAccessible("a page whose script is missing");
    assert.ok(await isLoadedAgain());
    await console.page.unroute(scripts);
    await console.click("Load the page again");
    await heading("Hooks");
    quiet();
  });

  test("what was typed stays if another part is missing", async () => {
    const settings = new SettingsPage(console);
    await settings.visit(formsApp);
    await console.page.evaluate("window.unloaded = false");
    await settings.input("a.text").fill("typed");
    await console.page.route(scripts, missing);
    await console.page.keyboard.press("Control+K");
    await console.text("The command palette could not be loaded");
    await console.page.getByRole("link", { name: "Hooks" }).hover();
    await console.page.getByRole("link", { name: "Hooks" }).click();
    await console.text("Leave without saving?");
    await console.click("Cancel", console.dialog);
    assert.equal(await settings.input("a.text").inputValue(), "typed");
    assert.equal(await isLoadedAgain(), false);
    quiet();
  });

  test("no text becomes HTML or a script", async () => {
    assert.deepEqual(await console.page.evaluate(textsAsCode), []);
    // The browser reports each refusal.
    console.problems.length = 0;
  });

  test("names the dependency that does not respond, and reads the page again when it is back", async () => {
    const checks = { database: { status: "up" }, authorization: { status: "down" } };
    const body = JSON.stringify({ errors: [{ message: "no decision", extensions: { code: "SERVICE_UNAVAILABLE" } }] });
    await console.page.route("**/ready", (route) => route.fulfill({ status: 503, json: { status: "not_ready", checks } }));
    await console.page.route("**/graphql", (route) =>
      route.request().postData()?.includes("query Roles")
        ? route.fulfill({ status: 503, contentType: "application/json", body })
        : route.continue(),
    );
    await console.visit("/console/access/roles");
    await console.text("Not available: Authorization");
    await console.text("no decision");
    await console.lookAt("a dependency that does not respond");
    await console.page.unroute("**/graphql");
    await console.page.unroute("**/ready");
    await console.text("Administrators");
    await console.page.getByText("Not available: Authorization").waitFor({ state: "detached" });
    console.requireQuiet("503");
  });

  test("while the platform does not respond, it waits instead", async () => {
    await console.context.setOffline(true);
    await console.page.getByRole("link", { name: "Hooks" }).click();
    await console.text("The connection to the platform is lost");
    assert.equal(await isLoadedAgain(), false);
    await console.context.setOffline(false);
    await heading("Hooks");
    assert.ok(await isLoadedAgain());
    console.problems.length = 0;
  });
});
