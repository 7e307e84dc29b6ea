import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import type { KratosAccount } from "../../../../tools/services/kratos-accounts.ts";
import { oneTimePassword } from "../../../../tools/services/kratos-accounts.ts";
import { launchChromium, withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";
import { type KratosPlatform, startKratosPlatform } from "./kratos-platform.ts";
import { LoginPage } from "./login-page.ts";

const started = withoutChromium ? { unavailable: withoutChromium } : await startKratosPlatform();

describe("the pages of Kratos in the console", { skip: "unavailable" in started && started.unavailable }, () => {
  const platform = started as KratosPlatform;
  let browser: Browser;
  let console: ConsolePage;
  let login: LoginPage;
  let admin: KratosAccount;
  let opened = 0;
  before(async () => {
    browser = await launchChromium();
    admin = await platform.accounts.create({ first: "Ada", last: "Admin" });
    await platform.makeAdministrator(admin.id);
    await open();
  });
  after(async () => {
    await browser?.close();
    await platform.stop();
  });

  /** A browser that was never here, with an address of its own: the platform allows each 30 attempts in a minute. */
  async function open(): Promise<void> {
    await console?.close();
    opened += 1;
    console = await ConsolePage.open(browser, platform.httpUrl, `192.0.2.${opened}`);
    console.page.setDefaultTimeout(30_000);
    login = new LoginPage(console);
  }
  /** The browser itself reports refusals of Kratos, such as a wrong password. */
  const quiet = () =>
    assert.deepEqual(
      console.problems.splice(0).filter((each) => !/status of 4(?:00|01|03|04|10|22)/.test(each)),
      [],
    );
  const isAt = (pattern: RegExp) => console.page.waitForURL(pattern);
  const user = (name: string) => console.page.getByRole("button", { name: `User: ${name}` }).waitFor();

  test("a wrong password is refused on the page, the right one leads to the page that was asked for", async () => {
    await console.visit("/console/apps?state=RUNNING");
    await login.heading("Sign in");
    await console.lookAt("login");
    await login.signIn({ email: admin.email, password: "not-the-password" });
    await console.text("The provided credentials are invalid");
    assert.equal(await console.page.getByLabel("E-mail").inputValue(), admin.email);
    await console.lookAt("login-refused");
    await login.fill("Password", admin.password);
    await console.page.keyboard.press("Enter");
    await user("Ada Admin");
    assert.match(console.page.url(), /\/console\/apps\?state=RUNNING$/);
    quiet();
  });

  test("a user who is signed in goes to the page at once, and never to another site", async () => {
    await console.visit("/login?return_to=/console/events");
    await isAt(/^[^?]*\/console\/events$/);
    for (const elsewhere of ["https://evil.example/", "//evil.example/", "/\\evil.example/", "javascript:alert(1)"]) {
      await console.visit(`/login?return_to=${encodeURIComponent(elsewhere)}`);
      await isAt(/^[^?]*\/console$/);
      await user("Ada Admin");
    }
    quiet();
  });

  test("changes name and password on the account page, and signs in with the new password", async () => {
    await console.visit("/console/apps");
    await console.page.getByRole("button", { name: "User: Ada Admin" }).click();
    await console.page.getByRole("menuitem", { name: "Account" }).click();
    await login.heading("Account");
    await console.lookAt("account");
    const profile = login.section("Profile");
    await profile.getByLabel("Last name").fill("Administrator");
    await console.click("Save", profile);
    await console.text("Your changes have been saved!");
    const password = login.section("Password");
    await password.getByLabel("Password", { exact: true }).fill("short");
    await console.click("Save", password);
    await console.text("The password must be at least 8 characters long");
    await console.lookAt("account-refused");
    const changed = `${admin.password}-changed`;
    await password.getByLabel("Password", { exact: true }).fill(changed);
    await console.click("Save", password);
    await console.text("Your changes have been saved!");
    await console.lookAt("account-saved");
    await console.page.getByRole("link", { name: "Back to the console" }).click();
    await user("Ada Administrator");
    assert.match(console.page.url(), /\/console\/apps$/);
    await console.signOut();
    admin = { ...admin, password: changed };
    await login.signIn(admin);
    await user("Ada Administrator");
    quiet();
  });

  test("a change that needs a fresh session asks for the password again, and comes back", async () => {
    await console.visit("/login/settings?return_to=/console/apps");
    await login.heading("Account");
    // As Kratos responds when the session is older than `privileged_session_max_age`.
    const refusal = { error: { id: "session_refresh_required", code: 403 }, redirect_browser_to: `${platform.httpUrl}/x` };
    const submitted = "**/self-service/settings?flow=*";
    await console.page.route(submitted, (route) => route.fulfill({ status: 403, json: refusal }), { times: 1 });
    const profile = login.section("Profile");
    await profile.getByLabel("Last name").fill("Again");
    await console.click("Save", profile);
    await login.heading("Confirm that it is you");
    await console.lookAt("login-refresh");
    await login.fill("Password", admin.password);
    await console.page.keyboard.press("Enter");
    await login.heading("Account");
    await profile.getByLabel("First name").fill("Ada");
    await console.click("Save", profile);
    await console.text("Your changes have been saved!");
    await console.page.getByRole("link", { name: "Back to the console" }).click();
    await isAt(/^[^?]*\/console\/apps$/);
    quiet();
  });

  let secret = "";
  let spare = "";

  test("sets up an authenticator app and recovery codes", async () => {
    await console.visit("/login/settings");
    const totp = login.section("Authenticator app");
    await totp.getByRole("img").waitFor();
    secret = (await totp.locator("pre").textContent()) ?? "";
    await totp.getByLabel("Code that the app shows").fill("000000");
    await console.click("Save", totp);
    await console.text(/code (?:was|is) (?:incorrect|not valid)/i);
    await console.lookAt("account-wrong-code");
    await totp.getByLabel("Code that the app shows").fill(oneTimePassword(secret));
    await console.click("Save", totp);
    await totp.getByRole("button", { name: "Remove the authenticator app" }).waitFor();
    const codes = login.section("Recovery codes");
    await codes.getByRole("button", { name: "Make new recovery codes" }).click();
    await codes.getByRole("listitem").first().waitFor();
    assert.equal(await codes.getByRole("listitem").count(), 12);
    spare = (await codes.getByRole("listitem").first().textContent()) ?? "";
    await console.lookAt("account-codes");
    await console.click("I have stored the codes", codes);
    await codes.getByRole("button", { name: "Show the recovery codes" }).waitFor();
    quiet();
  });

  test("asks for the second factor after the password: a code of the app, or a recovery code", async () => {
    await console.visit("/console/apps");
    await console.signOut();
    await login.signIn(admin);
    await login.heading("Second factor");
    await console.lookAt("second-factor");
    await login.fill("Code of the authenticator app", "000000");
    await console.click("Use the authenticator app");
    await console.text(/code (?:was|is) (?:incorrect|not valid)/i);
    await login.fill("Code of the authenticator app", oneTimePassword(secret));
    await console.page.keyboard.press("Enter");
    await user("Ada Administrator");

    await open();
    await console.visit("/console/events");
    await login.signIn(admin);
    await login.heading("Second factor");
    await login.fill("Recovery code", spare.trim());
    await console.page.keyboard.press("Enter");
    await user("Ada Administrator");
    assert.match(console.page.url(), /\/console\/events$/);
    quiet();
  });

  test("asks before it removes the authenticator app", async () => {
    await console.visit("/login/settings");
    const totp = login.section("Authenticator app");
    const unlink = "Remove the authenticator app";
    await console.click(unlink, totp);
    await console.requireAccessible("the confirmation");
    await console.click("Cancel", console.dialog);
    await console.dialog.waitFor({ state: "detached" });
    await console.click(unlink, totp);
    await console.click(unlink, console.dialog);
    await totp.getByRole("img").waitFor();
    await console.dialog.waitFor({ state: "detached" });
    quiet();
  });

  test("a session with one factor leads to the second one, and who has none left can sign out", async () => {
    await open();
    await console.visit("/console/apps");
    await login.signIn(admin);
    await login.heading("Second factor");
    await console.visit("/console/apps");
    const again = console.page.getByRole("link", { name: "Sign in" });
    await again.or(console.page.getByRole("heading", { name: "Second factor", exact: true })).waitFor();
    if (await again.isVisible()) await again.click();
    await login.heading("Second factor");
    await console.page.getByRole("button", { name: "Sign out" }).click();
    await login.heading("Sign in");
    quiet();
  });

  test("registers a new user, who verifies the address and is signed in", async () => {
    await open();
    await console.visit("/console/apps");
    await login.heading("Sign in");
    await console.page.getByRole("link", { name: "Create an account" }).click();
    await login.heading("Create an account");
    await console.lookAt("registration");
    const email = `${Date.now()}@example.test`;
    await login.fill("E-mail", email);
    await login.fill("First name", "Nora");
    await login.fill("Last name", "New");
    await console.click("Create the account");
    await login.fill("Password", "short");
    await console.click("Create the account");
    await console.text("The password must be at least 8 characters long");
    await console.lookAt("registration-password");
    await login.fill("Password", "a-Long-enough-1-password");
    await console.click("Create the account");
    await login.heading("Verify your address");
    await console.lookAt("verification");
    await login.fill("Code from the e-mail", await codeIn(email));
    await console.page.keyboard.press("Enter");
    await console.text("You successfully verified your email address");
    await console.page.getByRole("link", { name: "Continue to the console" }).click();
    await user("Nora New");
    assert.match(console.page.url(), /\/console\/apps$/);
    quiet();
  });

  test("recovers an account with the code of a mail, and sets another password", async () => {
    await open();
    const lost = await platform.accounts.create({ first: "Lara", last: "Lost" });
    await console.visit("/console/events");
    await login.heading("Sign in");
    await console.page.getByRole("link", { name: "Forgot your password?" }).click();
    await login.heading("Recover your account");
    await console.lookAt("recovery");
    await login.fill("E-mail", lost.email);
    await console.page.keyboard.press("Enter");
    await console.text("An email containing a recovery code has been sent");
    await console.page.reload();
    await login.fill("Recovery code", "000000");
    await console.click("Continue");
    await console.text("The recovery code is invalid or has already been used");
    await console.lookAt("recovery-code");
    await login.fill("Recovery code", await codeIn(lost.email));
    await console.click("Continue");
    await login.heading("Account");
    await console.text("You successfully recovered your account");
    const password = login.section("Password");
    await password.getByLabel("Password", { exact: true }).fill("another-Long-1-password");
    await console.click("Save", password);
    await console.text("Your changes have been saved!");
    await console.page.getByRole("link", { name: "Back to the console" }).click();
    await user("Lara Lost");
    assert.match(console.page.url(), /\/console\/events$/);
    quiet();
  });

  test("a flow that has ended or belongs to another browser begins again, and keeps the page that was asked for", async () => {
    await open();
    await console.visit("/login?return_to=/console/apps&flow=0d6a7a3e-7c0c-4f6e-9d6a-0a1b2c3d4e5f");
    await console.text("Please start again");
    await console.lookAt("login-again");
    const lost = await platform.accounts.create({ first: "Olga", last: "Other" });
    // The flow of this page loses its cookie.
    await console.context.clearCookies();
    await login.signIn(lost);
    await console.text("Please start again");
    await login.signIn(lost);
    await user("Olga Other");
    assert.match(console.page.url(), /\/console\/apps$/);
    quiet();
  });

  test("says what failed, without Kratos and with an error of Kratos", async () => {
    await open();
    await console.visit("/login/error?id=0d6a7a3e-7c0c-4f6e-9d6a-0a1b2c3d4e5f");
    await login.heading("Signing in failed");
    await console.lookAt("login-error");
    await console.visit("/login");
    await login.heading("Sign in");
    await login.fill("E-mail", admin.email);
    await platform.kratos.kill();
    await console.click("Sign in with password");
    await console.text("The sign-in service does not respond");
    assert.equal(await console.page.getByLabel("E-mail").inputValue(), admin.email);
    await console.visit("/login");
    await console.text("The sign-in service does not respond");
    await console.lookAt("login-outage");
    await platform.kratos.start();
    await console.click("Try again");
    await login.signIn(admin);
    await login.heading("Second factor");
    // The browser itself reports the requests that failed.
    console.problems.length = 0;
  });

  async function codeIn(address: string): Promise<string> {
    const mail = (await platform.accounts.lastMail(address)) ?? "";
    const [code] = /\b\d{6}\b/.exec(mail) ?? [];
    assert.ok(code, mail);
    return code;
  }
});
