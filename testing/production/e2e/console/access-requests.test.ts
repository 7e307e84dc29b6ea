import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type PlatformUnderTest, startPlatform, testApp, uniqueName, untilState, untilStatus } from "@appserver/testing/kit";
import type { FrameLocator } from "playwright-core";
import { purgeApp } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

const minutes = uniqueName("com.example.minutes");
const diary = uniqueName("com.example.diary");
const reason = "I take the minutes.";

describe("requests for access in Chromium", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let administrator: ConsolePage;
  let person: ConsolePage;
  before(async () => {
    platform = await startPlatform();
    await install(minutes, "Minutes", "What was decided, and by whom");
    await install(diary, "Diary", "Everyone's day in one line");
    administrator = await ConsolePage.launch(platform);
    await administrator.visit("/");
    await administrator.signIn("Ada Admin");
    person = await ConsolePage.open(administrator.browser, platform);
    await person.visit("/");
    await person.signIn("Bob Guest");
  });
  after(async () => {
    await administrator?.quit();
    for (const name of [minutes, diary]) await purgeApp(platform, name);
    await platform?.stop();
  });

  /** Installs an app with one page that needs a permission of the app. */
  async function install(name: string, title: string, description: string): Promise<void> {
    const navigation = [{ title, href: `/${name}`, required_permissions: [`${title.toLowerCase()}:read`] }];
    const ui = {
      mode: "ESM_COMPONENT",
      entry_asset_name: "page.js",
      exposed_module: "./Page",
      route_base: `/${name}`,
      navigation,
    };
    const script = `export const mount = (element) => { element.innerHTML = "<h1>The ${title}</h1>"; };`;
    const fields = { name, display_name: title, description, web_app: { assets: ["page.js"], ui } };
    await platform.register(await testApp(fields, { "page.js": script }));
    await platform.client().marketplace.installApp({ name });
    await untilState(platform, name, "RUNNING");
    await untilStatus(platform.httpUrl, `/${name}`, 200);
  }

  const frame = (): FrameLocator => person.page.frameLocator("iframe");
  const region = (console: ConsolePage, name: string) => console.page.getByRole("region", { name, exact: true });

  test("a person finds an app on the home page that they may not open, with nothing but what it is for", async () => {
    const more = region(person, "More apps");
    await more.getByText("Minutes", { exact: true }).waitFor();
    await more.getByText("What was decided, and by whom").waitFor();
    assert.equal(await more.getByRole("link").count(), 0);
    await person.page.getByRole("searchbox", { name: "Find an app" }).fill("diary");
    await more.getByText("Minutes", { exact: true }).waitFor({ state: "detached" });
    await more.getByText("Diary", { exact: true }).waitFor();
    await person.page.getByRole("searchbox", { name: "Find an app" }).fill("");
    await person.lookAt("home of a person without access");
    person.requireQuiet();
  });

  test("asks for it on its page, is granted with one click, and the page opens by itself", async () => {
    await person.visit(`/${minutes}`);
    await person.text("You may not open Minutes yet");
    await person.lookAt("page of an app without access");
    await person.click("Ask for access to Minutes");
    await person.dialog.getByText("To open the app").waitFor();
    await person.dialog.getByLabel("Reason (optional)").fill(reason);
    await person.requireAccessible("dialog to ask for access");
    await person.click("Ask", person.dialog);
    await person.text("You asked just now");
    assert.equal(await person.page.getByRole("button", { name: "Ask for access to Minutes" }).count(), 0);

    await administrator.visit("/");
    const needs = region(administrator, "What needs you");
    await needs.getByText("Bob Guest asks for minutes:read of Minutes").waitFor();
    await needs.getByText(reason).waitFor();
    await administrator.lookAt("home with a request for access");
    await needs.getByRole("button", { name: "Grant minutes:read of Minutes to Bob Guest" }).click();
    await administrator.text("Bob Guest has minutes:read of Minutes now");

    await frame().getByRole("heading", { name: "The Minutes" }).waitFor();
    person.requireQuiet();
    administrator.requireQuiet();
  });

  test("sees what was declined, and a favourite stands first", async () => {
    await person.visit("/");
    await person.click("Ask for access to Diary");
    await person.click("Ask", person.dialog);
    await administrator.visit("/console/access/requests");
    const request = administrator.page.getByRole("article", { name: "Bob Guest asks for diary:read of Diary" });
    await request.waitFor();
    await administrator.lookAt("requests for access");
    await request.getByRole("button", { name: "Decline diary:read of Diary for Bob Guest" }).click();
    await request.waitFor({ state: "detached" });
    await region(person, "More apps").getByText("Declined").waitFor();
    const own = region(person, "Your apps");
    const star = own.getByRole("button", { name: "Minutes is a favourite" });
    await star.click();
    await person.visit("/");
    assert.equal(await star.getAttribute("aria-pressed"), "true");
    assert.match(await own.getByRole("listitem").first().innerText(), /Minutes/);
    await star.click();
    person.requireQuiet();
    administrator.requireQuiet();
  });
});
