import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type EmbeddedPlatform, type PlatformUnderTest, ProductionPlatform, startOwnPlatform } from "@appserver/testing/kit";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

describe("the page of the platform in the console", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  /** An option that is set, with its value and a search that finds nothing or only options like it. */
  let option: { readonly name: string; readonly value: string; readonly search: string };
  let console: ConsolePage;
  before(async () => {
    platform = await startOwnPlatform("starts faster without apps", { flags: ["--no-examples"] });
    option =
      platform instanceof ProductionPlatform
        ? { name: "APPSERVER_INSTANCE", value: platform.addresses.docker.instance, search: "instance" }
        : { name: "APPSERVER_DATA_DIR", value: (platform as EmbeddedPlatform).dataDir, search: "datadir" };
    console = await ConsolePage.launch(platform);
  });
  after(async () => {
    await console?.quit();
    await platform?.stop();
  });
  const row = (text: string | RegExp) => console.page.getByRole("row").filter({ hasText: text });

  test("shows versions, processes and the options with their sources", async () => {
    await console.visit("/console/platform");
    await console.signIn("Ada Admin");
    await row("Node.js").waitFor();
    assert.equal(await console.page.getByRole("link", { name: "REST reference" }).getAttribute("href"), "/api/v2/docs");
    await row(/^\S+:\d+serve\d+\.\d+\.\d+.* MB/).waitFor();
    if (platform.variant === "production") await row(/^\S+:\d+orchestrate\d+\.\d+\.\d+/).waitFor();
    await row(option.name).getByText(option.value).waitFor();
    await console.requireAccessible("the page of the platform");
    console.requireQuiet();
  });

  test("options are searched and filtered, in the address as well", async () => {
    await console.page.getByLabel("Only those that are set").check();
    await console.page.getByLabel("Search options").fill(option.search);
    await console.page.getByText("No option matches").or(row(option.name)).waitFor();
    await console.page.waitForURL(/changed=true/);
    await console.page.getByLabel("Search options").fill("");
    await row(option.name).waitFor();
    assert.equal(await row("default").count(), 0);
    console.requireQuiet();
  });
});
