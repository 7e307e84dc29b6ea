import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RunningPlatform } from "@appserver/testing/kit";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

const notes = "com.example.notes";

/** Own: the shared platform has no time after which apps sleep. */
describe("an app that is asleep, in the console", { skip: withoutChromium }, () => {
  test("has a badge and its time in the list and on its page, which change without a reload when it wakes up", async (t) => {
    const platform = await RunningPlatform.start({ environment: { APPSERVER_APPS_SLEEP_AFTER: "8s" } });
    t.after(() => platform.stop());
    const console = await ConsolePage.launch(platform);
    t.after(() => console.quit());
    await console.visit("/console/apps");
    await console.signIn("Ada Admin");
    const { page } = console;
    await console.row(notes).getByText("Asleep", { exact: true }).waitFor();
    // Below the badge, and in the column of changes.
    assert.equal(await console.row(notes).locator("time").count(), 2);
    await console.lookAt("apps asleep");

    await console.visit(`/console/apps/${notes}`);
    await page.getByText("the app is asleep, because it was not in use").waitFor();
    await page.getByText(/^fell asleep/).waitFor();
    await console.lookAt("app asleep");
    const status = await page.evaluate(`fetch("/api/apps/${notes}/notes").then(({ status }) => status)`);
    assert.equal(status, 200);
    await page.getByText("Running", { exact: true }).first().waitFor();
    await page.getByText(/^fell asleep/).waitFor({ state: "detached" });
    console.requireQuiet();
  });
});
