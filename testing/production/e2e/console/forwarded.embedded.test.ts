import { after, before, describe, test } from "node:test";
import { RunningPlatform } from "@appserver/testing/kit";
import type { Browser } from "playwright-core";
import { launchChromium, withoutChromium } from "../launch-chromium.ts";

/** docs/guides/kubernetes.md#first-administrator */
describe("a platform with a public URL of https, through a forwarded port of this machine", { skip: withoutChromium }, () => {
  let platform: RunningPlatform;
  let browser: Browser;
  before(async () => {
    const environment = { APPSERVER_IDENTITY_DRIVER: "accounts", APPSERVER_PUBLIC_URL: "https://platform.example.com" };
    platform = await RunningPlatform.start({ flags: ["--no-examples"], environment });
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await platform?.stop();
  });

  test("the first administrator completes the account and signs in, because Chromium trusts this machine as it does https", async () => {
    const page = await browser.newPage();
    const [token = ""] = /#token=\S+/.exec(platform.printed) ?? [];
    await page.goto(`${platform.httpUrl}/login/registration${token}`);
    await page.getByLabel("E-mail address").fill("ada@example.test");
    await page.getByLabel("Your name").fill("Ada Lovelace");
    await page.getByRole("textbox", { name: "Password" }).fill("a horse is no battery");
    await page.getByRole("button", { name: "Create the account", exact: true }).click();
    await page.waitForURL(`${platform.httpUrl}/console`);
    await page.getByRole("button", { name: /Ada Lovelace/ }).waitFor();
    const other = await (await browser.newContext()).newPage();
    await other.goto(`${platform.httpUrl}/login?return_to=/console/apps`);
    await other.getByLabel("E-mail address").fill("ada@example.test");
    await other.getByRole("textbox", { name: "Password" }).fill("a horse is no battery");
    await other.keyboard.press("Enter");
    await other.waitForURL(`${platform.httpUrl}/console/apps`);
  });
});
