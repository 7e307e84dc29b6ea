import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import {
  nextNotes,
  type PlatformUnderTest,
  productionPlatform,
  type TestUser,
  testApp,
  testUserNames,
  uniqueName,
  untilState,
} from "@appserver/testing/kit";
import type { FrameLocator } from "playwright-core";
import { ensureBoardPython } from "../../../../tools/services/python-packages.ts";
import { purgeApp } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";
import { SettingsPage } from "./settings-page.ts";

const notes = "com.example.notes";
const clock = "com.example.clock";
const scripted = uniqueName("com.example.scripted");
const board = await ensureBoardPython();

describe("a day in the console of a production platform", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  before(async () => {
    platform = await productionPlatform();
    console = await ConsolePage.launch(platform);
  });
  after(async () => {
    await console?.quit();
    await purgeApp(platform, scripted);
    await platform?.stop();
  });

  /** The page of an app: in the document of the console, or in a frame. */
  const frame = (): FrameLocator => console.page.frameLocator("iframe");
  const link = (name: string) => console.page.getByRole("navigation").getByRole("link", { name, exact: true });
  const tab = (app: string, name: string) => console.visit(`/console/apps/${app}${name}`);
  const signIn = (user: TestUser): Promise<void> => console.signIn(testUserNames[user]);

  test("bob sees no app, alice the notes without what she may not do", async () => {
    await console.visit("/");
    await signIn("bob");
    await console.page.getByRole("heading", { name: "Your apps" }).waitFor();
    assert.deepEqual(await Promise.all(["Notes", "Clock", "Apps"].map((name) => link(name).count())), [0, 0, 0]);
    await console.signOut();
    await signIn("alice");
    await link("Notes").click();
    await frame().getByRole("heading", { name: "Notes", level: 1 }).waitFor();
    assert.deepEqual(await Promise.all(["New note", "Clock", "Apps"].map((name) => link(name).count())), [0, 0, 0]);
    await console.signOut();
  });

  test("the administrator opens every app, writes a note, and sees it", async () => {
    await signIn("admin");
    await link("Notes").click();
    await frame().getByLabel("New note").fill("Written on a long day");
    await frame().getByRole("button", { name: "Add note" }).click();
    await frame().getByRole("listitem").getByText("Written on a long day").waitFor();
    await link("Clock").click();
    await console.text(/^There (is|are) \d+ notes?$/);
    if ("unavailable" in board) return;
    await link("Board").click();
    await frame().getByRole("textbox", { name: "New card" }).fill("Water the plants");
    await frame().getByRole("textbox", { name: "New card" }).press("Enter");
    await frame().getByRole("listitem").filter({ hasText: "Water the plants" }).waitFor();
  });

  test("an app that a script installs appears in the menu without a reload", async (context: TestContext) => {
    const name = scripted;
    const page = `customElements.define("${name.replaceAll(".", "-")}", class extends HTMLElement {
      connectedCallback() { this.innerHTML = "<h1>Installed by a script</h1>"; }
    });`;
    const ui = {
      mode: "WEB_COMPONENT",
      entry_asset_name: "page.js",
      route_base: `/${name}`,
      navigation: [{ title: name, href: `/${name}` }],
    };
    await console.page.evaluate("window.unloaded = false");
    await platform.register(await testApp({ name, web_app: { assets: ["page.js"], ui } }, { "page.js": page }));
    await platform.client().marketplace.installApp({ name });
    await untilState(platform, name, "RUNNING");
    const running = performance.now();
    await link(name).waitFor();
    context.diagnostic(`in the menu ${Math.round(performance.now() - running)} ms after it ran`);
    await link(name).click();
    await frame().getByRole("heading", { name: "Installed by a script" }).waitFor();
    assert.equal(await console.page.evaluate("window.unloaded"), false);
  });

  test("a wrong value is refused at its field, the right one is saved", async () => {
    const settings = new SettingsPage(console);
    await settings.visit(notes);
    await settings.input("notes.page_size").fill("1001");
    await settings.input("notes.page_size").blur();
    await settings.setting("notes.page_size").getByText("must be at most 1000").waitFor();
    await settings.input("notes.page_size").fill("7");
    await settings.saved();
    await console.page.reload();
    await settings.input("notes.page_size").waitFor();
    assert.equal(await settings.input("notes.page_size").inputValue(), "7");
  });

  test("an upgrade shows its plan, needs the approval, and brings the search; a rollback takes it away", async () => {
    await tab(notes, "");
    await platform.register(await nextNotes());
    await console.click("Upgrade to 1.1.0");
    await console.dialog.getByText("Notes › Search").first().waitFor();
    await console.dialog.getByLabel(/^page:origin /).check();
    await console.click("Approve", console.dialog);
    await console.click("Upgrade", console.dialog);
    await console.dialog.getByText(/^Last operation: Upgrade/).waitFor({ timeout: 120_000 });
    await console.click("Close", console.dialog);
    await link("Notes").click();
    await link("Search").click();
    await console.page.getByLabel("Search notes").fill("long day");
    await console.click("Search");
    await console.text("1 found");
    await tab(notes, "");
    await console.click("Roll back to 1.0.0");
    await console.click("Roll back", console.dialog);
    await console.dialog.getByText(/^Last operation: Rollback/).waitFor({ timeout: 120_000 });
    await console.click("Close", console.dialog);
    await link("Notes").click();
    await link("New note").waitFor();
    await link("Search").waitFor({ state: "detached" });
  });

  test("the log of an app continues over a restart", async () => {
    await tab(clock, "/logs");
    const starts = () => console.page.getByRole("region", { name: `Log of ${clock}` }).getByText(`${clock} listens on port`);
    await starts().first().waitFor();
    const before = await starts().count();
    await console.click("Restart");
    await starts().nth(before).waitFor({ timeout: 120_000 });
  });

  test("an app is disabled, enabled, uninstalled, and installed again with its approvals", async () => {
    await tab(clock, "");
    await console.click("Disable");
    await link("Clock").waitFor({ state: "detached" });
    await console.click("Enable");
    await link("Clock").waitFor();
    await console.click("Uninstall");
    await console.click("Uninstall", console.dialog);
    await console.state("Uninstalled").waitFor();
    await link("Clock").waitFor({ state: "detached" });
    await console.click("Install");
    await console.dialog
      .getByText(/^Install Clock 1/)
      .first()
      .waitFor();
    await console.click("Install", console.dialog);
    await console.dialog.getByText(/^Last operation: Installation/).waitFor({ timeout: 120_000 });
    await console.click("Close", console.dialog);
    await link("Clock").click();
    await console.text(/^There (is|are) \d+ notes?$/);
  });

  test("signing out leads to the sign-in, and no page opens any more", async () => {
    await console.signOut();
    await console.page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
    await console.visit("/notes");
    await console.page.getByRole("heading", { name: /^(Sign in|You are not signed in)$/, level: 1 }).waitFor();
  });

  test("nothing was refused by the content policy, and no request left the origin", () => {
    const serious = console.problems.filter((each) => /Content Security Policy|request to/.test(each));
    assert.deepEqual(serious, []);
  });
});
