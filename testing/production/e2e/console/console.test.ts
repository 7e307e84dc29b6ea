import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { eventually, nextNotes, type PlatformUnderTest, RunningPlatform, send, startPlatform } from "@appserver/testing/kit";
import type { Response } from "playwright-core";
import { command } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

const clock = "com.example.clock";
/** What the clock requests. */
const permissions = ["page:origin", "notes:read", "hook:subscribe"];

describe("the console in Chromium", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  before(async () => {
    platform = await startPlatform();
    console = await ConsolePage.launch(platform);
  });
  after(async () => {
    await console?.quit();
    await platform?.stop();
  });

  test("leads to the login and back to the page that was asked for", async () => {
    await console.visit("/console/apps?state=RUNNING");
    const login = { embedded: { name: /Ada Admin/ }, production: { name: "Sign in with password" } };
    await console.page.getByRole("button", login[platform.variant]).waitFor();
    await console.lookAt("dev-login");
    await console.signIn("Ada Admin");
    assert.match(console.page.url(), /\/console\/apps\?state=RUNNING$/);
    await console.row(clock).waitFor();
    console.requireQuiet();
  });

  test("every page is accessible in both themes, and / has the apps", async () => {
    await console.visit("/");
    await console.page
      .getByRole("main")
      .getByRole("link", { name: /^Clock/ })
      .waitFor();
    await console.requireAccessible("home");
    await console.visit("/console");
    await console.page.getByRole("heading", { name: "Recent events" }).waitFor();
    await console.page.getByRole("img", { name: /^Requests of the last hour/ }).waitFor();
    await console.requireAccessible("overview");
    for (const [path, heading] of [
      ["/console/apps", "Apps"],
      [`/console/apps/${clock}`, "Clock"],
      [`/console/apps/${clock}/permissions`, "Clock"],
      ["/console/events", "Events"],
    ] as const) {
      await console.visit(path);
      await console.page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      await console.requireAccessible(path);
    }
    console.requireQuiet();
  });

  test("the first page loads at most 250 kB of JavaScript", async (context: TestContext) => {
    const scripts: string[] = [];
    const onResponse = (response: Response): void => {
      if (/javascript/.test(response.headers()["content-type"] ?? "")) scripts.push(response.url());
    };
    // The browser asks for Brotli at addresses that it trusts only: not at that of production, which lacks TLS.
    const sizeOf = async (url: string): Promise<number> =>
      (await send(url, new URL(url).pathname, { headers: { "accept-encoding": "br" } })).bytes.length;
    const fresh = await ConsolePage.open(console.browser, platform);
    try {
      await fresh.context.addCookies(await console.context.cookies());
      fresh.page.on("response", onResponse);
      const started = performance.now();
      await fresh.visit("/console");
      await fresh.page.getByRole("navigation").getByRole("link", { name: "Clock", exact: true }).waitFor();
      context.diagnostic(`navigation after ${Math.round(performance.now() - started)} ms`);
      await fresh.page.getByRole("img", { name: /^Requests of the last hour/ }).waitFor();
      const total = (await Promise.all(scripts.map(sizeOf))).reduce((sum, size) => sum + size, 0);
      context.diagnostic(`${scripts.length} scripts, ${total} bytes`);
      assert.ok(total > 0 && total <= 250_000, `${total} bytes`);
    } finally {
      await fresh.close();
    }
  });

  test("searches apps, and keeps the search in the URL", async () => {
    await console.visit("/console/apps");
    await console.row("com.example.notes").waitFor();
    await console.page.getByLabel("Search").fill("clock");
    await console.row("com.example.notes").waitFor({ state: "detached" });
    assert.match(console.page.url(), /search=clock/);
    await console.page.reload();
    await console.row(clock).waitFor();
    assert.equal(await console.row("com.example.notes").count(), 0);
    console.requireQuiet();
  });

  test("revokes permissions, and uninstalls after a confirmation", async () => {
    await console.visit(`/console/apps/${clock}/permissions`);
    for (const scope of permissions) {
      await console.click(`Revoke ${scope}`);
      await console.dialog.waitFor();
      await console.requireAccessible("the confirmation");
      await console.click("Revoke", console.dialog);
      await console.page.getByRole("button", { name: `Approve ${scope}` }).waitFor();
    }
    await console.click("Uninstall");
    await console.dialog.getByLabel("Also delete its data").check();
    await console.click("Uninstall and delete the data", console.dialog);
    await console.state("Uninstalled").waitFor();
    console.requireQuiet();
  });

  test("needs the approvals, shows the plan, installs, and shows RUNNING without a reload", async () => {
    await console.visit("/console/apps");
    await console.page.evaluate("window.unloaded = false");
    await console.click("Install Clock");
    const approve = console.dialog.getByRole("button", { name: "Approve", exact: true });
    await approve.waitFor();
    assert.ok(await approve.isDisabled());
    await console.requireAccessible("the plan");
    for (const scope of permissions) await console.dialog.getByLabel(new RegExp(`^${scope} `)).check();
    await approve.click();
    await console.dialog.getByText("Install Clock 1.1.0").waitFor();
    await console.requireAccessible("the plan without blockers");
    await console.click("Install", console.dialog);
    await console.dialog.getByText(/^Last operation: Installation/).waitFor();
    await console.click("Close", console.dialog);
    await console.row(clock).getByText("Running", { exact: true }).waitFor();
    assert.equal(await console.page.evaluate("window.unloaded"), false);
    console.requireQuiet();
  });

  test("shows the history of an app, and what an available version changes in its permissions", async () => {
    await platform.register(await nextNotes());
    await console.visit("/console/apps/com.example.notes/permissions");
    await console.page.getByRole("region", { name: "Changes in 1.1.0" }).getByText("page:origin").waitFor();
    await console.lookAt("permissions of an available version");
    await console.visit("/console/apps/com.example.notes");
    await console.page.getByRole("region", { name: "History" }).getByText("Running", { exact: true }).first().waitFor();
    const deployments = console.page.getByRole("region", { name: "Events of deployments" });
    await deployments.getByText("Healthy", { exact: true }).first().waitFor();
    await console.text("Certificate expires");
    await console.lookAt("the overview of an app");
    console.requireQuiet();
  });

  test("disables and enables an app, and shows changes by others at once", async () => {
    await console.visit(`/console/apps/${clock}`);
    await console.click("Disable");
    await console.state("Running · disabled").or(console.state("Installed · disabled")).waitFor();
    await command(platform, `setAppEnabled(name: "${clock}", enabled: true) { success }`);
    await console.page.getByRole("button", { name: "Disable", exact: true }).waitFor();
    await console.state("Running").waitFor();
    console.requireQuiet();
  });

  test("the menu is narrowed to its icons, stays so, and is a drawer on a phone", async () => {
    const menu = console.page.getByRole("navigation", { name: "Menu" });
    const width = async () => (await menu.boundingBox())?.width ?? 0;
    // A menu that is out of sight takes no focus.
    const untilDrawer = (isOpen: boolean) => {
      const look = () => console.page.evaluate<boolean>("document.querySelector('nav[aria-label=Menu]').inert");
      return eventually(look, (isInert) => isInert !== isOpen);
    };
    await console.visit("/console/apps");
    await console.row(clock).waitFor();
    const wide = await width();
    await console.click("Narrow the menu");
    await console.page.reload();
    const widen = console.page.getByRole("button", { name: "Widen the menu" });
    await widen.waitFor();
    assert.ok((await width()) < wide / 2);
    await console.lookAt("the narrow menu");
    await menu.getByRole("link", { name: "Events", exact: true }).click();
    await console.page.getByRole("heading", { name: "Events", level: 1 }).waitFor();
    await console.page.setViewportSize({ width: 390, height: 844 });
    await untilDrawer(false);
    await console.click("Open the menu");
    await untilDrawer(true);
    await menu.getByRole("link", { name: "Apps", exact: true }).click();
    await console.page.getByRole("heading", { name: "Apps", level: 1 }).waitFor();
    await untilDrawer(false);
    await console.page.setViewportSize({ width: 1280, height: 720 });
    await widen.click();
    await console.page.getByRole("button", { name: "Narrow the menu" }).waitFor();
    assert.equal(await width(), wide);
    console.requireQuiet();
  });

  test("on a phone apps are cards, the current tab is in sight, and commands and filters are behind a button", async () => {
    const { page } = console;
    await page.setViewportSize({ width: 390, height: 844 });
    await console.visit("/console/apps");
    const name = await console.row(clock).getByRole("link", { name: "Clock", exact: true }).boundingBox();
    const version = await console
      .row(clock)
      .getByText(/^\d+\.\d+\.\d+$/)
      .first()
      .boundingBox();
    assert.ok(name && version && version.y > name.y + name.height);
    await console.visit(`/console/apps/${clock}/backups`);
    const inSight = page.locator(".page-tabs[data-more-before]:not([data-more-after]) [aria-selected=true]");
    await inSight.waitFor();
    const tab = await inSight.boundingBox();
    assert.ok(tab && tab.x >= 0 && tab.x + tab.width <= 390, JSON.stringify(tab));
    await console.click("More commands");
    await page.getByRole("menuitem", { name: "Restart" }).waitFor();
    await page.keyboard.press("Escape");
    await console.visit("/console/audit?outcome=success");
    const actor = page.getByRole("combobox", { name: "Actor" });
    await page.getByRole("button", { name: "Filters (1)" }).waitFor();
    assert.equal(await actor.isVisible(), false);
    await console.click("Filters (1)");
    await actor.waitFor();
    await page.setViewportSize({ width: 1280, height: 720 });
    console.requireQuiet();
  });

  test("says when the platform does not respond, connects again by itself, and then shows the present state", async () => {
    await console.visit(`/console/apps/${clock}`);
    await console.state("Running").waitFor();
    // Other files use the server of production: there the browser is cut off.
    const restarted = platform instanceof RunningPlatform ? platform.restart() : console.context.setOffline(true);
    await console.text("The connection to the platform is lost");
    await restarted;
    await console.context.setOffline(false);
    await console.page.getByText("The connection to the platform is lost").waitFor({ state: "detached" });
    await command(platform, `setAppEnabled(name: "${clock}", enabled: false) { success }`);
    await console.page.getByRole("button", { name: "Enable", exact: true }).waitFor();
    await command(platform, `setAppEnabled(name: "${clock}", enabled: true) { success }`);
    // The browser itself reports the requests that failed.
    console.problems.length = 0;
  });

  test("keeps the page when the session ends, and continues after the next sign-in", async () => {
    await console.visit("/console/apps");
    await console.row(clock).waitFor();
    const session = (await console.context.cookies()).find(({ name }) => name === platform.sessionCookieName);
    assert.ok(session);
    await console.context.addCookies([{ ...session, value: "ended" }]);
    await console.page.getByLabel("Search").fill("clock");
    await console.text("Your session has ended");
    await console.requireAccessible("the end of the session");
    await console.context.addCookies([session]);
    await console.page.getByText("Your session has ended").waitFor({ state: "hidden" });
    assert.equal(await console.page.getByLabel("Search").inputValue(), "clock");
    await console.row(clock).waitFor();
    // The browser itself reports the requests that were refused.
    console.requireQuiet("401");
  });

  test("ends the session, and shows a user without permissions which one each page needs", async () => {
    await console.visit("/console/events");
    await console.signOut();
    await console.signIn("Bob Guest");
    for (const [path, link, permission] of [
      ["/console/audit", "Audit log", "audit:view"],
      ["/console/access", "Access", "access:view"],
      ["/console/platform", "Platform", "platform:view"],
      ["/console/apps", "Apps", "app:view"],
    ] as const) {
      await console.visit(path);
      await console.text(permission);
      assert.equal(await console.page.getByRole("link", { name: link, exact: true }).count(), 0);
    }
    await console.requireAccessible("a page without its permission");
    console.requireQuiet();
  });
});
