import { after, before, describe, test } from "node:test";
import { type PlatformUnderTest, startPlatform, untilState } from "@appserver/testing/kit";
import { purgeApp } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

const links = "com.example.links";

describe("the gallery in Chromium", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  before(async () => {
    platform = await startPlatform();
    console = await ConsolePage.launch(platform);
  });
  after(async () => {
    await console?.quit();
    await purgeApp(platform, links);
    await platform?.stop();
  });

  test("an app is tried with one click, opened and uninstalled", async () => {
    await console.visit("/console/apps");
    await console.signIn("Ada Admin");
    await console.page.getByRole("main").getByRole("link", { name: "Try an app" }).click();
    await console.page.waitForURL("**/console/gallery");
    await console.click("Try it: Links");
    await console.page.getByText("Links is installed").first().waitFor();
    await console.page.getByRole("link", { name: "Open Links" }).click();
    await console.page.waitForURL("**/links");
    await console.text("There is no link yet.");
    await console.page.getByRole("link", { name: "New link" }).first().click();
    await console.page.getByLabel("Title").fill("Wiki");
    await console.page.getByLabel("Address").fill(`${platform.httpUrl}/ready`);
    await console.page.getByLabel("Group").fill("Office");
    await console.click("Add");
    const opened = console.page.waitForEvent("popup");
    await console.page.getByRole("link", { name: "Wiki" }).click();
    await (await opened).close();
    await console.lookAt("links of the gallery");
    await console.visit("/console/gallery");
    await console.lookAt("gallery with an app");
    await console.click("Uninstall Links");
    await console.click("Uninstall", console.page.getByRole("dialog"));
    await console.page.getByRole("button", { name: "Try it: Links" }).waitFor();
    await untilState(platform, links, "UNINSTALLED");
  });
});
