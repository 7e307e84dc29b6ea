import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually, type PlatformUnderTest, startOwnPlatform, testApp } from "@appserver/testing/kit";
import type { Response } from "playwright-core";
import { command, purgeApp } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

const app = "com.example.eventful";
/** What one page of the list has. */
const page = 50;

interface History {
  readonly systemEvents: { readonly edges: readonly { readonly node: { readonly traceId: string | null } }[] };
}

describe("events in the console", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  let enabled = true;
  before(async () => {
    platform = await startOwnPlatform("starts faster without apps", { flags: ["--no-examples"] });
    // Nothing of it runs.
    const api = { base_path: "/", upstream_base_url: "http://127.0.0.1:9" };
    await platform.register(await testApp({ name: app, web_app: { api } }));
    await command(platform, `installApp(name: "${app}") { success }`);
    for (let count = 0; count < page; count += 1) await change();
    console = await ConsolePage.launch(platform);
    await console.visit(`/console/events?app=${app}`);
    await console.signIn("Ada Admin");
  });
  after(async () => {
    await console?.quit();
    await purgeApp(platform, app);
    await platform?.stop();
  });
  const rows = () => console.page.getByRole("row").filter({ has: console.page.getByRole("link", { name: app, exact: true }) });

  /** Changes the app, which is an event. */
  async function change(): Promise<void> {
    enabled = !enabled;
    await command(platform, `setAppEnabled(name: "${app}", enabled: ${enabled}) { success }`);
  }

  test("the history continues with further pages", async () => {
    await rows().first().waitFor();
    assert.equal(await rows().count(), page);
    await console.click("Show more");
    await rows().nth(page).waitFor();
    console.requireQuiet();
  });

  test("is filtered by type and app, and keeps the filter in the URL", async () => {
    await console.page.getByRole("combobox", { name: "Type" }).click();
    await console.page.getByRole("option", { name: "App installed", exact: true }).click();
    await rows().filter({ hasText: "State changed" }).first().waitFor({ state: "detached" });
    assert.equal(await rows().count(), 1);
    assert.match(console.page.url(), /type=APP_INSTALLED/);
    await console.page.reload();
    await rows().filter({ hasText: "App installed" }).waitFor();
    await console.page.getByRole("combobox", { name: "App", exact: true }).fill("com.example.none");
    await console.text("No events");
    await console.text("Change the type or the app.");
    assert.match(console.page.url(), /app=com\.example\.none/);
    await console.visit("/console/events");
    await rows().first().waitFor();
    console.requireQuiet();
  });

  test("new events appear at once while the list is live, and not while it is paused", async () => {
    const live = console.page.getByLabel("Live");
    /** The trace of the newest event: each change has its own. */
    const newest = async () =>
      (
        await rows()
          .first()
          .getByRole("link", { name: /^Trace of / })
          .getAttribute("href")
      )
        ?.split("/")
        .at(-1) ?? "";
    /** The subscription may start after the page is shown. */
    const untilAdded = async () => {
      const before = await newest();
      const look = async () => {
        await change();
        return await newest();
      };
      await eventually(look, (found) => found !== before);
    };
    await console.visit(`/console/events?type=APP_STATE_CHANGED&app=${app}`);
    await rows().first().waitFor();
    await untilAdded();
    await live.uncheck();
    const shown = await newest();
    // When apps change, the history of the page is read again.
    const isRead = async (response: Response): Promise<boolean> => {
      if (!response.request().postData()?.includes("query Events")) return false;
      const { data } = (await response.json()) as { readonly data: History };
      return data.systemEvents.edges[0]?.node.traceId !== shown;
    };
    await Promise.all([console.page.waitForResponse(isRead), change()]);
    assert.equal(await newest(), shown);
    await live.check();
    await untilAdded();
    console.requireQuiet();
  });
});
