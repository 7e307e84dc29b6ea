import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually, type PlatformUnderTest, startOwnPlatform } from "@appserver/testing/kit";
import type { Locator, Page } from "playwright-core";
import { command } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";
import { booked, LedgerApp, ledger } from "./ledger-app.ts";

/** More than a page of a list has. */
const many = 45;
const bobSees = ["view_hook", "view_activity"];

describe("hooks and activities in the console", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let app: LedgerApp;
  let console: ConsolePage;
  before(async () => {
    platform = await startOwnPlatform("dead letters soon", { environment: { APPSERVER_HOOKS_RETRY_DELAYS: "1s" } });
    app = await LedgerApp.install(platform);
    console = await ConsolePage.launch(platform);
  });
  after(async () => {
    await console?.quit();
    for (const object of bobSees) if (platform) await command(platform, `revokeAccess(${bobHolds(object)}) { user }`);
    await app?.stop();
    await platform?.stop();
  });
  const bobHolds = (object: string): string =>
    `user: "user:${platform.userId("bob")}", relation: "holder", object: "permission_scope:${object}"`;
  const heading = (name: string) => console.page.getByRole("heading", { name, level: 1, exact: true }).waitFor();
  const badge = (text: string) => console.page.locator("main").getByText(text, { exact: true }).first();
  const rows = () => console.page.getByRole("row").filter({ hasText: "Ledger" });
  const trigger = (data: string) => command(platform, `triggerHook(name: "${booked}", data: ${data}) { eventId }`);
  const runActivity = (input: string) =>
    command(platform, `triggerActivity(appName: "${ledger}", activity: "close-books", input: ${input}) { id }`);
  /** A field with suggestions or choices. Its list has the same label. */
  const field = (label: string, within: Locator | Page = console.page) =>
    within.getByRole("combobox", { name: label, exact: true });

  test("empty lists say what to do next", async () => {
    await console.visit(`/console/hooks?app=${ledger}`);
    await console.signIn("Ada Admin");
    await heading("Hooks");
    await console.text("No delivery matches");
    await console.visit("/console/hooks/events?hook=com.example.none.hook");
    await console.text("No event matches");
    await console.lookAt("hook events, empty");
    await console.visit(`/console/activities?app=${ledger}`);
    await heading("Activities");
    await console.text("No run matches");
    console.requireQuiet();
  });

  test("triggers a hook with a payload, and follows its delivery", async () => {
    await console.visit("/console/hooks");
    await console.click("Trigger a hook");
    await field("Hook", console.dialog).fill(booked);
    const payload = console.dialog.getByLabel("Payload");
    await payload.fill("{ amount: 3 }");
    assert.ok(await console.dialog.getByRole("button", { name: "Trigger", exact: true }).isDisabled());
    await console.lookAt("trigger a hook, invalid");
    await payload.fill('{"amount":3}');
    await console.click("Trigger", console.dialog);
    await console.dialog.getByText("Delivered", { exact: true }).waitFor();
    await console.lookAt("trigger a hook, delivered");
    await console.click("Close", console.dialog);
    assert.deepEqual((JSON.parse(app.received.at(-1) ?? "{}") as { readonly data?: unknown }).data, { amount: 3 });
    await rows().getByText("Delivered", { exact: true }).waitFor();
    await console.click(`Details of ${booked} to ${ledger}`);
    await console.page.getByRole("cell", { name: "Success", exact: true }).waitFor();
    await console.page
      .getByRole("region", { name: `Payload of ${booked}` })
      .getByText('"amount": 3')
      .waitFor();
    await console.lookAt("hook deliveries");
    await console.page.getByRole("tab", { name: "Events" }).click();
    await console.text("Trace");
    await console.click(`Details of ${booked}`);
    await console.page
      .getByRole("list", { name: `Deliveries of ${booked}` })
      .getByText("Delivered", { exact: true })
      .waitFor();
    await console.page
      .getByRole("region", { name: `Payload of ${booked}` })
      .getByText('"amount": 3')
      .waitFor();
    await console.lookAt("hook events");
    console.requireQuiet();
  });

  test("shows events of other callers at once, and filters them by hook in the URL", async () => {
    await console.visit("/console/hooks/events");
    const articles = console.page.getByRole("article");
    await articles.first().waitFor();
    const newest = () => articles.first().getAttribute("aria-label");
    const before = await newest();
    // The subscription may start after the page is shown.
    await eventually(
      async () => {
        await trigger("7");
        return newest();
      },
      (found) => found !== before,
    );
    await console.page.getByLabel("Live").uncheck();
    const [shown, received] = [await newest(), app.received.length];
    await trigger("8");
    await eventually(
      () => app.received.length,
      (count) => count > received,
    );
    assert.equal(await newest(), shown);
    await console.page.getByLabel("Live").check();
    await eventually(newest, (found) => found !== shown);
    await field("Hook").fill("com.example.other.hook");
    await console.text("No event matches");
    assert.match(console.page.url(), /hook=com\.example\.other\.hook/);
    console.requireQuiet();
  });

  test("a delivery leads to its event, and the event to its deliveries", async () => {
    await console.visit("/console/hooks");
    await console.page
      .getByRole("button", { name: `Details of ${booked} to ${ledger}` })
      .last()
      .click();
    const event = console.page.getByRole("link", { name: "Event", exact: true });
    const id = (await event.getAttribute("title")) ?? "";
    await event.click();
    await console.page.getByRole("article", { name: `${booked} ${id}` }).waitFor();
    assert.equal(await console.page.getByRole("article").count(), 1);
    await console.lookAt("one hook event");
    await console.page.getByRole("link", { name: "Attempts of the deliveries" }).click();
    await rows().first().waitFor();
    assert.equal(await rows().count(), 1);
    assert.match(console.page.url(), new RegExp(`event=${id}`));
    console.requireQuiet();
  });

  test("shows dead letters with every attempt, and resends one", async () => {
    app.status = 500;
    await trigger("{ amount: 4 }");
    await console.visit("/console/hooks");
    await console.page.getByRole("link", { name: "1 undelivered event" }).click();
    assert.match(console.page.url(), /status=DEAD/);
    await console.page.reload();
    await rows().getByText("Undelivered", { exact: true }).waitFor();
    assert.equal(await rows().count(), 1);
    await console.click(`Details of ${booked} to ${ledger}`);
    await console.page.getByRole("cell", { name: "Failed", exact: true }).nth(1).waitFor();
    await console.lookAt("dead letters");
    app.status = 204;
    await console.click(`Resend ${booked} to ${ledger}`);
    await console.text("The delivery is sent again");
    await console.text("No undelivered events");
    console.requireQuiet();
  });

  test("recovers the dead letters of a range of time", async () => {
    app.status = 500;
    await trigger("{ amount: 5 }");
    await console.visit(`/console/hooks?status=DEAD&hook=${booked}`);
    await rows().getByText("Undelivered", { exact: true }).waitFor();
    app.status = 204;
    await console.click("Send undelivered events again");
    assert.equal(await console.dialog.getByLabel("Hook").inputValue(), booked);
    await console.lookAt("recover dead letters");
    await console.click("Recover", console.dialog);
    await console.text("1 delivery is sent again");
    await console.text("No delivery matches");
    await field("Status").click();
    await console.page.getByRole("option", { name: "Delivered", exact: true }).click();
    await rows().getByText("Delivered", { exact: true }).first().waitFor();
    assert.match(console.page.url(), /status=DELIVERED/);
    console.requireQuiet();
  });

  test("lists pages of deliveries and runs", async () => {
    for (let count = 0; count < many; count++) {
      await trigger(String(count));
      await runActivity("null");
    }
    for (const path of ["/console/hooks", "/console/activities", "/console/hooks/events"]) {
      await console.visit(`${path}?app=${ledger}`);
      const shown = path.endsWith("events") ? console.page.getByRole("article") : rows();
      await shown.first().waitFor();
      assert.equal(await shown.count(), 40);
      await console.click("Show more");
      await shown.nth(many - 1).waitFor();
    }
    console.requireQuiet();
  });

  test("triggers an activity, says why its input is refused, and shows its progress and its output", async () => {
    await console.visit("/console/activities");
    await console.click("Trigger an activity");
    await field("App", console.dialog).fill(ledger);
    await field("Activity", console.dialog).fill("close-books");
    const property = console.dialog.getByRole("group", { name: "Property pauseMs" });
    await property.getByRole("textbox").fill("long");
    await console.click("Trigger", console.dialog);
    await property.getByText("must be an integer").waitFor();
    // A rule that only the platform checks.
    await property.getByRole("textbox").fill("7");
    await console.click("Trigger", console.dialog);
    await console.dialog.getByText("The run was not started").waitFor();
    await property.getByText("must be multiple of 500").waitFor();
    await console.lookAt("trigger an activity");
    await property.getByRole("textbox").fill("6000");
    await console.click("Enter JSON", console.dialog);
    await console.dialog.getByLabel("Input", { exact: true }).waitFor();
    await console.lookAt("trigger an activity with JSON");
    await console.click("Use the form", console.dialog);
    assert.equal(await property.getByRole("textbox").inputValue(), "6000");
    await console.click("Trigger", console.dialog);
    await heading("close-books");
    await console.text("40 %, adding up");
    await badge("Completed").waitFor();
    await console.page.getByRole("region", { name: "Output" }).last().getByText('"accounts": 12').waitFor();
    await console.page.getByRole("region", { name: "Input" }).last().getByText('"pauseMs": 6000').waitFor();
    await console.lookAt("run with output");
    await console.visit("/console/activities");
    await console.click("Trigger an activity");
    await field("App", console.dialog).fill(ledger);
    await field("Activity", console.dialog).fill("close-books");
    await console.click("Use the input of the last run", console.dialog);
    await eventually(
      () => property.getByRole("textbox").inputValue(),
      (text) => text === "6000",
    );
    // The browser itself reports the input that was refused.
    console.requireQuiet("422");
  });

  test("shows the error of a run, and retries it as a new run", async () => {
    await runActivity("{ fails: true }");
    await console.visit(`/console/activities?status=FAILED&app=${ledger}`);
    await rows().getByText("the books do not balance").waitFor();
    await console.lookAt("failed runs");
    await console.page.getByRole("link", { name: "close-books" }).click();
    await console.text("UNBALANCED: the books do not balance");
    await console.page
      .getByRole("region", { name: "Attempts", exact: true })
      .getByRole("row", { name: /^1 Failed/ })
      .waitFor();
    await console.lookAt("failed run");
    const failed = console.page.url().split("/").at(-1) ?? "";
    await console.click("Retry close-books");
    await console.page.getByRole("link", { name: "Earlier run" }).waitFor();
    await badge("Failed").waitFor();
    assert.ok(!console.page.url().endsWith(failed));
    console.requireQuiet();
  });

  test("shows live progress in the list, and cancels a run after a confirmation", async () => {
    await console.visit(`/console/activities?app=${ledger}`);
    await runActivity("{ pauseMs: 600000 }");
    await console.text("40 %, adding up");
    await console.lookAt("runs");
    await console.page.getByRole("link", { name: "close-books" }).first().click();
    await heading("close-books");
    await console.text("40 %, adding up");
    await console.lookAt("run in progress");
    await console.page.goBack();
    await heading("Activities");
    await console.click("Cancel close-books");
    await console.dialog.getByText("is not retried").waitFor();
    await console.lookAt("cancel a run");
    await console.click("Cancel the run", console.dialog);
    await rows().first().getByText("Canceled", { exact: true }).waitFor();
    console.requireQuiet();
  });

  test("pauses, resumes and runs a schedule", async () => {
    await console.visit("/console/activities/schedules");
    await console.click(`Pause close-books of ${ledger}`);
    await rows().getByText("Paused", { exact: true }).waitFor();
    await console.lookAt("schedules");
    await console.click(`Resume close-books of ${ledger}`);
    await console.page.getByRole("button", { name: `Pause close-books of ${ledger}` }).waitFor();
    await console.click(`Run now: close-books of ${ledger}`);
    await heading("close-books");
    await badge("Completed").waitFor();
    await console.visit("/console/activities/runs/00000000-0000-7000-8000-000000000000");
    await console.text("There is no such run");
    console.requireQuiet();
  });

  test("names the missing permission, and shows a viewer no commands", async () => {
    await console.visit("/console/hooks");
    await console.signOut();
    await console.signIn("Bob Guest");
    for (const [path, permission] of [
      ["/console/hooks", "hook:view"],
      ["/console/activities", "activity:view"],
      ["/console/activities/schedules", "activity:view"],
      ["/console/activities/runs/1", "activity:view"],
    ] as const) {
      await console.visit(path);
      await console.text("You may not see this page");
      await console.text(permission);
    }
    for (const object of bobSees) await command(platform, `grantAccess(${bobHolds(object)}) { user }`);
    await console.visit("/console/hooks");
    await rows().first().waitFor();
    assert.equal(await console.page.getByRole("button", { name: /^(Resend|Trigger|Recover)/ }).count(), 0);
    await console.visit("/console/activities");
    await rows().first().waitFor();
    assert.equal(await console.page.getByRole("button", { name: /^(Trigger|Cancel|Retry)/ }).count(), 0);
    console.requireQuiet();
  });
});
