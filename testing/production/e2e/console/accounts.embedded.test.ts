import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { RunningPlatform, until } from "@appserver/testing/kit";
import { OpenidProvider } from "@appserver/testing/kit/openid-provider";
import { Secret, TOTP } from "otpauth";
import type { Browser, Page } from "playwright-core";
import { launchChromium, withoutChromium } from "../launch-chromium.ts";
import { takePictures } from "./pictures.ts";

const password = "a horse is no battery";

/** docs/interface/accounts.md */
describe("accounts in the console", { skip: withoutChromium }, () => {
  let platform: RunningPlatform;
  let company: OpenidProvider;
  let browser: Browser;
  let page: Page;
  before(async () => {
    const scopes = ["openid", "email", "profile", "offline_access"];
    company = await OpenidProvider.start("company", { name: "Example Inc.", scopes });
    const { name, issuer, clientId: client_id, clientSecret: client_secret } = company.options;
    const provider = { id: "company", name, issuer, client_id, client_secret, scopes, groups_claim: "groups" };
    const environment = {
      APPSERVER_IDENTITY_DRIVER: "accounts",
      APPSERVER_ACCOUNTS_PROVIDERS: JSON.stringify([provider]),
      APPSERVER_IDENTITY_GROUPS: JSON.stringify({ Board: "role:easy" }),
    };
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

  /** Gives the address and the password. */
  async function firstFactor(at: Page): Promise<void> {
    await at.getByLabel("E-mail address").fill("ada@example.test");
    await at.getByRole("textbox", { name: "Password" }).fill(password);
    await at.keyboard.press("Enter");
  }

  /** Opens the sign-in in a browser of its own. */
  async function fresh(origin = platform.httpUrl): Promise<Page> {
    const opened = await (await browser.newContext()).newPage();
    await opened.goto(`${origin}/login?return_to=/console/apps`);
    return opened;
  }

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

  let recoveryCodes: readonly string[] = [];

  test("an administrator invites a person, who has the role from the start", async () => {
    await visit("/console/access");
    await button("Invite").click();
    const dialog = page.getByRole("dialog", { name: "Invite a person" });
    await dialog.getByLabel("E-mail address").fill("mary@example.test");
    await dialog.getByLabel("Name", { exact: true }).fill("Mary Jackson");
    const roles = dialog.getByRole("combobox", { name: "Roles" });
    await roles.press("ArrowDown");
    await page.getByRole("option", { name: "Administrators" }).click();
    await roles.press("Tab");
    await dialog.getByRole("button", { name: "Invite" }).click();
    const link = await dialog.getByText("#token=").textContent();
    const mary = await (await browser.newContext()).newPage();
    await mary.goto(link ?? "");
    await mary.getByRole("textbox", { name: "Password" }).fill(password);
    await mary.getByRole("button", { name: "Create the account" }).click();
    await mary.getByRole("button", { name: /Mary Jackson/ }).waitFor();
    await mary.goto(`${platform.httpUrl}/console/access/roles`);
    await mary.getByRole("main").getByRole("link", { name: "Mary Jackson" }).waitFor();
    await mary.context().close();
  });

  test("the account of a person is exported, disabled, enabled and removed", async () => {
    await visit("/console/access?search=mary");
    await page.getByRole("link", { name: "Mary Jackson" }).click();
    const account = page.getByRole("region", { name: "Account", exact: true });
    await account.getByText("Active").waitFor();
    await takePictures(page, "account of a person");
    const [file] = await Promise.all([page.waitForEvent("download"), button("Export").click()]);
    assert.match(await text(await file.createReadStream()), /"mary@example.test"/);
    const confirmed = async (name: string): Promise<void> => {
      await button(`${name} Mary Jackson`).click();
      await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
    };
    await confirmed("Disable");
    await account.getByText("Disabled").waitFor();
    await button("Enable").click();
    await account.getByText("Active").waitFor();
    await confirmed("Remove");
    await account.waitFor({ state: "detached" });
    await page.getByText(/Nothing is granted to/).waitFor();
  });

  test("an authenticator app is set up by its secret, and asked for after the password", async () => {
    await visit("/login/settings");
    await button("Set up an authenticator app").click();
    await page.getByRole("img", { name: /Scan this picture/ }).waitFor();
    const secret =
      (await page
        .locator("pre")
        .filter({ hasText: /^[A-Z2-7]{32}$/ })
        .textContent()) ?? "";
    const codeAt = (timestamp: number): string => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
    await page.getByLabel("Code that the app shows").fill("000000");
    await button("Confirm").click();
    await page.getByText("The code is wrong.").first().waitFor();
    await page.getByLabel("Code that the app shows").fill(codeAt(Date.now()));
    await button("Confirm").click();
    await page.getByText(/The authenticator app is set up/).waitFor();
    recoveryCodes = await page.locator(".secrets code").allTextContents();
    assert.equal(recoveryCodes.length, 12);
    const phone = await fresh();
    await firstFactor(phone);
    await phone.getByRole("heading", { name: "Second factor" }).waitFor();
    await phone.reload();
    // The code of now was used up when it confirmed the app.
    await phone.getByLabel("Code of the authenticator app").fill(codeAt(Date.now() + 30_000));
    await phone.keyboard.press("Enter");
    await phone.waitForURL("**/console/apps");
    await phone.context().close();
  });

  test("a recovery code is the second factor once", async () => {
    const use = async (): Promise<Page> => {
      const phone = await fresh();
      await firstFactor(phone);
      await phone.getByLabel("Recovery code").fill(recoveryCodes[0] ?? "");
      await phone.getByRole("button", { name: "Use the recovery code" }).click();
      return phone;
    };
    const first = await use();
    await first.waitForURL("**/console/apps");
    const second = await use();
    await second.getByText(/none of your recovery codes/).waitFor();
    await second.getByRole("button", { name: "Sign out" }).click();
    await second.getByLabel("E-mail address").waitFor();
    for (const each of [first, second]) await each.context().close();
  });

  test("a passkey is added under Account, and signs in by itself", async () => {
    const origin = platform.httpUrl.replace("127.0.0.1", "localhost");
    const laptop = await fresh(origin);
    const devtools = await laptop.context().newCDPSession(laptop);
    await devtools.send("WebAuthn.enable");
    const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true } as const;
    await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
    });
    await firstFactor(laptop);
    await laptop.getByLabel("Recovery code").fill(recoveryCodes[1] ?? "");
    await laptop.getByRole("button", { name: "Use the recovery code" }).click();
    await laptop.waitForURL("**/console/apps");
    await laptop.goto(`${origin}/login/settings`);
    await laptop.getByRole("button", { name: "Add a passkey" }).click();
    await laptop.getByLabel("Name of the passkey").fill("My laptop");
    await laptop.getByRole("button", { name: "Create the passkey" }).click();
    await laptop.getByText(/The passkey was added/).waitFor();
    await laptop.getByRole("button", { name: /Remove: My laptop/ }).waitFor();
    await laptop.context().clearCookies();
    await laptop.goto(`${origin}/login?return_to=/console/apps`);
    await laptop.getByRole("button", { name: "Sign in with a passkey" }).click();
    await laptop.waitForURL("**/console/apps");
    await laptop.getByRole("button", { name: /Ada Lovelace/ }).waitFor();
    await laptop.goto(`${origin}/login?refresh=true&return_to=/login/settings`);
    await laptop.getByRole("button", { name: "Use a passkey" }).click();
    await laptop.waitForURL("**/login/settings**");
    await laptop.getByRole("button", { name: /Remove: My laptop/ }).click();
    await laptop
      .getByRole("dialog")
      .getByRole("button", { name: /Remove: My laptop/ })
      .click();
    await laptop.getByText(/The passkey was removed/).waitFor();
    await laptop.context().close();
  });

  test("a person of the company signs in at its provider, whose button is first, and comes back to the page", async () => {
    company.signsIn({ sub: "7", email: "grace@example.test", email_verified: true, name: "Grace Hopper", groups: [] });
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

  test("a group of the provider is a role, which is explained, and ends when the provider is asked again", async () => {
    const board = { sub: "8", email: "joan@example.test", email_verified: true, name: "Joan Clarke", groups: ["Board"] };
    company.signsIn(board);
    const joan = await (await browser.newContext()).newPage();
    await joan.goto(`${platform.httpUrl}/login?return_to=/console/access/groups`);
    await joan.getByRole("button", { name: "Continue with Example Inc." }).click();
    await joan.waitForURL("**/console/access/groups");
    await joan.getByRole("heading", { name: "Group Board" }).waitFor();
    await joan.getByRole("main").getByRole("link", { name: "Joan Clarke" }).click();
    await joan
      .getByText(/Group Board, read from oidc:company just now/)
      .first()
      .waitFor();
    await joan.getByText("Role Administrators, from identity.groups").first().waitFor();
    company.tells({ ...board, groups: [] });
    await platform.onDatabase((database) => database.query("update accounts.provider_sessions set due_at = now()"));
    await until("she is no administrator any more", async () => {
      await joan.goto(`${platform.httpUrl}/console/access/groups`);
      await joan.getByRole("main").getByRole("heading").first().waitFor();
      return (await joan.getByText("access:view").count()) > 0;
    });
    await joan.context().close();
  });

  test("a provider that refuses is said on a page of its own", async () => {
    await visit("/self-service/methods/oidc/callback/company?error=access_denied");
    await page.getByText("That took too long, or began in another browser. Try again.").waitFor();
  });
});
