import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type PlatformUnderTest, startOwnPlatform } from "@appserver/testing/kit";
import type { FrameLocator } from "playwright-core";
import { purgeApp } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import type { PageGlobals } from "../page-globals.ts";
import { ConsolePage } from "./console-page.ts";
import { installRenderedApp, rendered } from "./rendered-app.ts";

describe("pages that their app renders, in Chromium", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  let user: string;
  let removeApp: (() => Promise<void>) | undefined;
  before(async () => {
    platform = await startOwnPlatform("starts faster without apps", { flags: ["--no-examples"] });
    removeApp = await installRenderedApp(platform);
    user = platform.userId("admin");
    console = await ConsolePage.launch(platform);
    await console.visit("/rendered");
    await console.signIn("Ada Admin");
  });
  after(async () => {
    await console?.quit();
    await purgeApp(platform, rendered);
    await platform?.stop();
    await removeApp?.();
  });
  const frame = (): FrameLocator => console.page.frameLocator("iframe");

  test("the page is rendered for its user, in a frame, and gets the page contract", async () => {
    await frame()
      .getByRole("heading", { name: `Report / for ${user}` })
      .waitFor();
    assert.equal(await console.page.locator("iframe").getAttribute("sandbox"), "allow-scripts allow-forms");
    await frame().getByText("Ada Admin sees data of the API in light at", { exact: false }).waitFor();
    await frame().getByText("and may reports:approve", { exact: false }).waitFor();
    const expected =
      /blocked by CORS|ERR_FAILED|SecurityError|sandboxed|Content Security Policy|request to http:\/\/127\.0\.0\.1:9\//;
    assert.deepEqual(
      console.problems.splice(0).filter((each) => !expected.test(each)),
      [],
    );
  });

  test("it reaches neither GraphQL nor the session nor another app", async () => {
    const reached = (await frame().locator("pre").innerText()).split("\n");
    assert.equal(reached.length, 12);
    assert.deepEqual(
      reached.filter((each) => !each.endsWith(": refused")),
      [],
    );
  });

  test("links change the address, and the page of the new path is rendered; the back button works", async () => {
    await frame().getByRole("link", { name: "Next report" }).click();
    await frame()
      .getByRole("heading", { name: `Report /reports/2 for ${user}` })
      .waitFor();
    assert.equal(console.page.url(), `${platform.httpUrl}/rendered/reports/2?x=1`);
    await frame().getByText("at /reports/2?x=1").waitFor();
    await console.page.goBack();
    await frame()
      .getByRole("heading", { name: `Report / for ${user}` })
      .waitFor();
  });

  test("a page without a script is shown, and one that leaves its frame is replaced", async () => {
    await console.visit("/rendered/plain/a");
    const heading = frame().getByRole("heading", { name: "Plain page /plain/a" });
    await heading.waitFor();
    // The policy of the page allows the styles for apps.
    const size = heading.evaluate((element) => (globalThis as unknown as PageGlobals).getComputedStyle(element).fontSize);
    assert.equal(await size, "22px");
    await frame().getByRole("link", { name: "Leave" }).click();
    await console.text("the page has left its frame");
    await console.click("Load it again");
    await frame().getByRole("heading", { name: "Plain page /plain/a" }).waitFor();
  });

  test("in a tab of its own it has no origin either", async () => {
    await console.visit(`/apps/${rendered}/page/plain/own`);
    await console.text("Plain page /plain/own");
    assert.equal(await console.page.evaluate("self.origin"), "null");
  });
});
