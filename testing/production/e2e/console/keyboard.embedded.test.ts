import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually, RunningPlatform } from "@appserver/testing/kit";
import type { Locator } from "playwright-core";
import { command } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";
import { formsApp, formsManifest } from "./forms-app.ts";
import { booked, LedgerApp, ledger } from "./ledger-app.ts";

/** More elements than a page has until the one that is looked for. */
const maxTabs = 150;

const nothing = "nothing has the focus";

/** Returns why the focus is not visible. Some inputs are invisible, and what stands for them is next to them. */
const unseenFocus = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return ${JSON.stringify(nothing)};
  const isMarked = (each) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || (each === element && boxShadow !== "none");
  };
  const places = [element, element.nextElementSibling, element.parentElement, element.closest(".mantine-Input-input")];
  const marked = places.some((each) => each && isMarked(each));
  return marked ? "" : "the focus is not visible on " + element.outerHTML.slice(0, 300);
})()`;

/** Collects in \`window.moving\` what moves for longer than a frame, in each frame. */
const collectMotion = `(() => {
  window.moving = new Set();
  const look = () => {
    for (const animation of document.getAnimations()) {
      const { activeDuration } = animation.effect.getComputedTiming();
      if (animation.playState !== "running" || activeDuration < 20) continue;
      const { target } = animation.effect;
      window.moving.add((animation.animationName ?? animation.transitionProperty) + " of " + target?.outerHTML.slice(0, 120));
    }
    requestAnimationFrame(look);
  };
  look();
})()`;

describe("the console without a mouse and without motion", { skip: withoutChromium }, () => {
  let platform: RunningPlatform;
  let app: LedgerApp;
  let console: ConsolePage;
  before(async () => {
    platform = await RunningPlatform.start({ environment: { APPSERVER_HOOKS_RETRY_DELAYS: "1s" } });
    app = await LedgerApp.install(platform);
    await platform.register(await formsManifest());
    console = await ConsolePage.launch(platform);
  });
  after(async () => {
    await console?.quit();
    await app?.stop();
    await platform?.stop();
  });

  const press = (key: string) => console.page.keyboard.press(key);
  const type = (text: string) => console.page.keyboard.type(text);
  const button = (name: string | RegExp, within: Locator = console.page.locator("body")) =>
    within.getByRole("button", { name, exact: typeof name === "string" });
  const menu = (name: string) =>
    console.page.getByRole("navigation", { name: "Menu" }).getByRole("link", { name, exact: true });
  const heading = (name: string) => console.page.getByRole("heading", { name, level: 1, exact: true }).waitFor();
  const hasFocus = (target: Locator): Promise<boolean> =>
    target.evaluate(
      (element) => element === (element as { ownerDocument?: { activeElement: unknown } }).ownerDocument?.activeElement,
    );
  const isFocused = (target: Locator) =>
    eventually(
      () => hasFocus(target),
      (is) => is,
      { what: `${target} has the focus` },
    );
  const seesFocus = async () => assert.equal(await console.page.evaluate(unseenFocus), "");

  /** Presses Tab until the target has the focus, and requires that the focus is visible after each. */
  async function tabTo(target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
    await target.waitFor();
    let wraps = 0;
    for (let count = 0; count < maxTabs; count += 1) {
      if (await hasFocus(target)) return;
      await press(key);
      const unseen = await console.page.evaluate<string>(unseenFocus);
      // Between the last element of the document and the first, the focus is in the browser.
      if (unseen === nothing && wraps === 0) wraps += 1;
      else assert.equal(unseen, "");
    }
    assert.fail(`${target} is not reached`);
  }
  async function choose(target: Locator, key = "Enter"): Promise<void> {
    await tabTo(target);
    await press(key);
  }
  /** Goes over the skip link to an entry of the menu. */
  async function goTo(name: string): Promise<void> {
    await tabTo(menu(name), "Shift+Tab");
    await press("Enter");
    await heading(name);
  }

  test("the skip link leads to the page, and the menu to every page", async () => {
    await console.visit("/console");
    await choose(console.page.getByRole("button", { name: /Ada Admin/ }));
    await heading("Overview");
    await console.page.reload();
    await heading("Overview");
    const skip = console.page.getByRole("link", { name: "Skip to the page" });
    await press("Tab");
    assert.ok(await hasFocus(skip));
    assert.ok(((await skip.boundingBox())?.x ?? -1) >= 0, "the skip link is in sight while it has the focus");
    await press("Enter");
    await isFocused(console.page.locator("main"));
    await press("Tab");
    assert.equal(await console.page.evaluate("document.activeElement.closest('main')?.id"), "page");
    for (const name of ["Apps", "Hooks", "Activities", "Events", "Traces", "Access", "Audit log", "Platform"]) await goTo(name);
    console.requireQuiet();
  });

  test("a setting is changed and saved, and the app is disabled and enabled", async () => {
    await goTo("Apps");
    await choose(console.page.getByRole("row").filter({ hasText: "Ledger" }).getByRole("link"));
    await heading("Ledger");
    await goTo("Apps");
    await choose(console.page.getByRole("row").filter({ hasText: formsApp }).getByRole("link"));
    await heading("Forms");
    await tabTo(console.page.getByRole("tab", { name: "Overview" }));
    await press("ArrowRight");
    const input = console.page.getByRole("region", { name: "a.text", exact: true }).getByLabel("a.text", { exact: true });
    await tabTo(input);
    await type("by keys");
    await choose(button("Save"));
    await console.page.getByText("No changes", { exact: true }).waitFor();
    await seesFocus();
    await goTo("Apps");
    await choose(console.page.getByRole("row").filter({ hasText: "Ledger" }).getByRole("link"));
    await choose(button("Disable"));
    await button("Enable").waitFor();
    await isFocused(button("Enable"));
    await press("Space");
    await button("Disable").waitFor();
    await isFocused(button("Disable"));
    console.requireQuiet();
  });

  test("dialogs take the focus, keep it, and give it back; an app is installed", async () => {
    await goTo("Apps");
    const install = button("Install Forms");
    await choose(install);
    await console.dialog.getByText("Install Forms 1.0.0").waitFor();
    for (let count = 0; count < 8; count += 1) {
      await press("Tab");
      await seesFocus();
      assert.ok(await console.page.evaluate("Boolean(document.activeElement.closest('[role=dialog]'))"));
    }
    await press("Escape");
    await console.dialog.waitFor({ state: "detached" });
    await isFocused(install);
    await press("Enter");
    await choose(button("Install", console.dialog));
    await choose(button("Close", console.dialog));
    await console.dialog.waitFor({ state: "detached" });
    await console.row(formsApp).getByText("Install", { exact: true }).waitFor({ state: "detached" });
    await press("Control+k");
    await console.page.getByRole("option").first().waitFor();
    await seesFocus();
    await press("Escape");
    await console.dialog.waitFor({ state: "detached" });
    const user = button("User: Ada Admin");
    await tabTo(user, "Shift+Tab");
    await press("Enter");
    // The menu takes the focus after it is shown. Until then Escape does not close it.
    await console.page.locator("[role=menu]:focus-within").waitFor();
    await press("Escape");
    await isFocused(user);
    console.requireQuiet();
  });

  test("a list is filtered, and a dead letter is sent again", async () => {
    app.status = 500;
    await command(platform, `triggerHook(name: "${booked}", data: {}) { eventId }`);
    await goTo("Hooks");
    const rows = console.page.getByRole("row").filter({ hasText: "Ledger" });
    await rows.getByText("Undelivered", { exact: true }).waitFor();
    const status = console.page.getByRole("combobox", { name: "Status" });
    await tabTo(status);
    await press("Enter");
    const dead = console.page.getByRole("option", { name: "Undelivered", exact: true });
    await dead.waitFor();
    for (let count = 0; count < 10 && (await dead.getAttribute("data-combobox-selected")) === null; count += 1)
      await press("ArrowDown");
    await press("Enter");
    await console.page.waitForURL(/status=DEAD/);
    await isFocused(status);
    const details = button(`Details of ${booked} to ${ledger}`);
    await choose(details);
    await console.page.getByRole("cell", { name: "Failed", exact: true }).first().waitFor();
    await isFocused(details);
    app.status = 204;
    await choose(button(`Resend ${booked} to ${ledger}`));
    await console.text("The delivery is sent again");
    await console.text("No undelivered events");
    console.requireQuiet();
  });

  test("with reduced motion nothing moves: pages, dialogs, menus, progress and what is loading", async () => {
    await command(
      platform,
      `triggerActivity(appName: "${ledger}", activity: "close-books", input: { pauseMs: 600000 }) { id }`,
    );
    await console.context.addInitScript(collectMotion);
    const still = async (what: string): Promise<void> =>
      assert.deepEqual(await console.page.evaluate("[...window.moving]"), [], what);
    await console.visit("/console");
    await console.page.getByRole("img", { name: /^Requests of the last hour/ }).waitFor();
    await still("the overview");
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await console.page.route("**/graphql", async (route) => {
      if (route.request().postData()?.includes("query ActivityRuns")) await held;
      await route.continue();
    });
    await menu("Activities").click();
    await console.page.locator("main").getByText("Loading", { exact: true }).waitFor();
    await still("what is loading");
    release();
    await console.text("40 %, adding up");
    await still("the progress of a run");
    await console.page.unroute("**/graphql");
    await console.click("Trigger an activity");
    await console.dialog.getByRole("combobox", { name: "App", exact: true }).click();
    await press("Escape");
    await press("Escape");
    await console.dialog.waitFor({ state: "detached" });
    await still("a dialog");
    await console.click("User: Ada Admin");
    await console.page.locator("[role=menu]:focus-within").waitFor();
    await press("Escape");
    await console.page.setViewportSize({ width: 390, height: 844 });
    await console.click("Open the menu");
    await menu("Audit log").click();
    await heading("Audit log");
    await still("menus");
    await console.page.setViewportSize({ width: 1440, height: 900 });
    await console.visit(`/console/apps/${ledger}`);
    await console.click("Disable");
    await console.text("Ledger is disabled");
    await button("Enable").waitFor();
    await still("a notice");
    console.requireQuiet();
  });
});
