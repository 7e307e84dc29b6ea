import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RunningPlatform } from "@appserver/testing/kit";
import { OpenidProvider } from "@appserver/testing/kit/openid-provider";
import type { Browser, Page } from "playwright-core";
import { launchChromium, withoutChromium } from "../launch-chromium.ts";

const password = "a horse is no battery";

/** docs/interface/accounts.md */
describe("accounts in the console", { skip: withoutChromium }, () => {
  let platform: RunningPlatform;
  let company: OpenidProvider;
  let browser: Browser;
  let page: Page;
  before(async () => {
    company = await OpenidProvider.start("company", { name: "Example Inc." });
    const { name, issuer, clientId: client_id, clientSecret: client_secret } = company.options;
    const providers = JSON.stringify([{ id: "company", name, issuer, client_id, client_secret }]);
    const environment = { APPSERVER_IDENTITY_DRIVER: "accounts", APPSERVER_ACCOUNTS_PROVIDERS: providers };
    platform = await RunningPlatform.start({ flags: ["--no-examples"], environment });
    company.platformUrl = platform.httpUrl;
    browser = await launchChromium();
    page = await browser.newPage();
  });
  after(async () => {
    await browser?.close();
    await platform?.stop();
    await company?.stop();
  });

  const visit = (path: string): Promise<unknown> => page.goto(`${platform.httpUrl}${path}`);
  const button = (name: string) => page.getByRole("button", { name, exact: true });

  test("the first administrator completes the account of the link, and what is wrong is said at its field", async () => {
    const [link = ""] = /http:\S+#token=\S+/.exec(platform.printed) ?? [];
    await page.goto(link);
    await page.getByLabel("E-mail address").fill("ada@example.test");
    await page.getByLabel("Your name").fill("Ada Lovelace");
    await page.getByRole("textbox", { name: "Password" }).fill("short");
    await button("Create the account").click();
    await page.getByText("A password has at least 12 characters.").waitFor();
    await page.getByRole("textbox", { name: "Password" }).fill(password);
    await button("Create the account").click();
    await page.waitForURL("**/console");
    await page.getByRole("button", { name: /Ada Lovelace/ }).waitFor();
    await page.goto(link);
    await page.getByText(/This link was used/).waitFor();
  });

  test("another session is shown in the account, and ends with all others", async () => {
    const phone = await browser.newPage();
    await phone.goto(`${platform.httpUrl}/login?return_to=/console/apps`);
    await phone.getByLabel("E-mail address").fill("ada@example.test");
    await phone.getByRole("textbox", { name: "Password" }).fill("not the password");
    await phone.keyboard.press("Enter");
    await phone.getByText("The e-mail address or the password is wrong.").waitFor();
    await phone.getByRole("textbox", { name: "Password" }).fill(password);
    await phone.keyboard.press("Enter");
    await phone.waitForURL("**/console/apps");
    await visit("/login/settings");
    await button("End all other sessions").click();
    await page.getByRole("dialog").getByRole("button", { name: "End all other sessions" }).click();
    await page.getByText("Ended.").waitFor();
    await phone.reload();
    await phone.waitForURL("**/login?**");
    await phone.context().close();
  });

  test("a person of the company signs in at its provider, whose button is first, and comes back to the page", async () => {
    company.signsIn({ sub: "7", email: "grace@example.test", email_verified: true, name: "Grace Hopper" });
    const grace = await (await browser.newContext()).newPage();
    await grace.goto(`${platform.httpUrl}/login?return_to=/console/apps`);
    await grace.getByRole("button", { name: "Sign in" }).waitFor();
    const [first] = await grace.getByRole("main").getByRole("button").all();
    assert.equal(await first?.textContent(), "Continue with Example Inc.");
    await first?.click();
    await grace.waitForURL("**/console/apps");
    await grace.getByRole("button", { name: /Grace Hopper/ }).waitFor();
    await grace.context().close();
  });

  test("a provider that refuses is said on a page of its own", async () => {
    await visit("/self-service/methods/oidc/callback/company?error=access_denied");
    await page.getByText("That took too long, or began in another browser. Try again.").waitFor();
  });
});
