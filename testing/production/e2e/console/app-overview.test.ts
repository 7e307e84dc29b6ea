import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type PlatformUnderTest, startPlatform } from "@appserver/testing/kit";
import type { Locator } from "playwright-core";
import { command } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";
import { booked, LedgerApp, ledger } from "./ledger-app.ts";

const notes = "com.example.notes";

describe("the page of an app in Chromium", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let app: LedgerApp;
  let console: ConsolePage;
  before(async () => {
    platform = await startPlatform();
    app = await LedgerApp.install(platform);
    console = await ConsolePage.launch(platform);
    await console.visit(`/console/apps/${notes}`);
    await console.signIn("Ada Admin");
  });
  after(async () => {
    await console?.quit();
    await app?.stop();
    await platform?.stop();
  });
  const part = (name: string): Locator => console.page.getByRole("region", { name, exact: true });
  const charts = (label: RegExp): Locator => part("Charts").getByRole("img", { name: label });

  test("shows the last deploy, and charts of a day and of an hour with marks of deploys", async () => {
    await console.visit(`/console/apps/${ledger}`);
    await part("Last deploy").getByText("1.0.0", { exact: true }).waitFor();
    await part("Last deploy")
      .getByText(/^Installed/)
      .waitFor();
    await charts(/^Requests of the last 24 hours by 5 minutes/).waitFor();
    const mark = part("Charts").locator(".chart-mark").first();
    assert.match((await mark.getAttribute("data-text")) ?? "", /^1\.0\.0/);
    await part("Charts").getByText("Hour", { exact: true }).click();
    await console.page.waitForURL(/range=hour/);
    await charts(/^Requests of the last hour by minute/).waitFor();
    // The platform runs no container of it.
    assert.equal(await charts(/^Use of|^Size of/).count(), 0);
    await console.visit(`/console/apps/${notes}?range=hour`);
    // An orchestrator stores what apps use every 30 s. Until then, a sentence stands in place of each chart.
    for (const label of [/^Use of processors/, /^Use of memory/, /^Size of the database/]) await charts(label).waitFor();
    await part("Charts")
      .getByText(/^\d.* MB now$/)
      .first()
      .waitFor();
    await console.lookAt("the overview of an app with its charts");
    console.requireQuiet();
  });

  test("has the hooks, runs and events of the app alone", async () => {
    await command(platform, `triggerHook(name: "${booked}", data: {}) { eventId }`);
    await command(platform, `triggerActivity(appName: "${ledger}", activity: "close-books") { id }`);
    await console.visit(`/console/apps/${ledger}/hooks`);
    await console.page.getByRole("row").filter({ hasText: booked }).first().waitFor();
    await console.page.getByText("Events of its hooks").click();
    await console.page.waitForURL(/view=events/);
    await console.page.getByRole("article", { name: booked }).first().waitFor();
    await console.lookAt("the hooks of an app");
    await console.page.getByRole("tab", { name: "Runs" }).click();
    await console.page.getByRole("row").filter({ hasText: "close-books" }).first().waitFor();
    await console.page.getByText("Schedules", { exact: true }).click();
    await console.text("30 4 1 1 *");
    await console.lookAt("the runs of an app");
    await console.visit(`/console/apps/${notes}/hooks`);
    await console.text("No deliveries yet");
    await console.visit(`/console/apps/${notes}/runs?status=FAILED`);
    await console.text("No run matches");
    console.requireQuiet();
  });

  test("shows the steps of an operation as one event, which unfolds", async () => {
    await console.visit(`/console/apps/${ledger}/events`);
    const installed = console.page.getByRole("row").filter({ hasText: `${ledger} 1.0.0 was installed` });
    await installed.first().waitFor();
    const step = console.page.getByText(new RegExp(`^${ledger} is INSTALLED`));
    assert.equal(await step.count(), 0);
    await installed
      .first()
      .getByRole("button", { name: /steps of/ })
      .click();
    await step.first().waitFor();
    await console.lookAt("the events of an app");
    await console.visit(`/console/apps/${ledger}/backups`);
    await part("Snapshots of the app").getByText("There are no snapshots yet.").waitFor();
    await console.lookAt("the backups of an app");
    console.requireQuiet();
  });
});
