import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type PlatformUnderTest, startOwnPlatform, testApp } from "@appserver/testing/kit";
import type { Locator } from "playwright-core";
import { command, purgeApp } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";
import { booked, LedgerApp, ledger } from "./ledger-app.ts";
import { addApps, removeApps } from "./many-apps.ts";

const needy = "com.example.needy";
const failed = "org.failed";

/** An app that waits for an approval, and has a required setting without a value. */
const needyManifest = () =>
  testApp({
    name: needy,
    display_name: "Needy",
    web_app: { api: { base_path: "/", upstream_base_url: "http://127.0.0.1:9" } },
    settings: { definitions: [{ key: "mail.host", data_type: "STRING_REQUIRED", required: true }] },
    required_permissions: [
      { scope: "notes:read", resource_type: "com.example.notes", reason: "Counts the notes.", requires_approval: true },
    ],
  });

const dependencies = ["Database", "Authorization", "Message broker", "Cache", "Identity provider"];

describe("the overview in Chromium", { skip: withoutChromium }, () => {
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
    await app?.stop();
    await removeApps(platform, failed);
    // Only a registered app can be deleted.
    await platform?.onDatabase((sql) => sql.query("update marketplace.apps set state = 'REGISTERED' where name = $1", [needy]));
    await purgeApp(platform, needy);
    await platform?.stop();
  });
  const part = (name: string): Locator => console.page.getByRole("region", { name, exact: true });
  const matter = (text: string | RegExp): Locator => part("What needs attention").getByRole("link", { name: text });

  test("shows the health of every dependency, and says that nothing needs attention", async () => {
    const checks = platform.variant === "embedded" ? [...dependencies, "Databases of apps", "Data folder"] : dependencies;
    await console.visit("/console");
    await console.signIn("Ada Admin");
    await part("Health").getByText(`All ${checks.length} services respond`).click();
    for (const name of checks) await part("Health").getByText(name, { exact: true }).waitFor();
    // Also that of the line.
    assert.equal(await part("Health").getByText("Up", { exact: true }).count(), checks.length + 1);
    await part("Health")
      .getByText(/^Appserver \S+, started/)
      .waitFor();
    await part("What needs attention").getByText("Nothing needs attention.").waitFor();
    await console.lookAt("overview-without-matters");
    console.requireQuiet();
  });

  test("lists what needs attention, each with the page that resolves it", async () => {
    app.status = 500;
    await command(platform, `triggerHook(name: "${booked}", data: {}) { eventId }`);
    await command(platform, `triggerActivity(appName: "${ledger}", activity: "close-books", input: { fails: true }) { id }`);
    await platform.register(await needyManifest());
    await platform.onDatabase((sql) =>
      sql.query(
        `update marketplace.apps set state = 'FAILED', last_error = '{"code":"INTERNAL_ERROR","message":"the image is missing"}'
         where name = $1`,
        [needy],
      ),
    );
    await console.visit("/console");
    await matter("Needy has failed").waitFor();
    await part("What needs attention").getByText("the image is missing").waitFor();
    for (const [text, path, content] of [
      ["Needy has failed", /\/console\/apps\/com\.example\.needy$/, "the image is missing"],
      ["1 undelivered event", /\/console\/hooks\?status=DEAD$/, booked],
      ["1 run failed in the last 24 hours", /\/console\/activities\?status=FAILED$/, "the books do not balance"],
      ["Needy waits for the approval of 1 permission", /needy\/permissions$/, "waits for approval"],
      ["Needy lacks settings that it requires", /needy\/settings$/, "mail.host is required"],
    ] as const) {
      await matter(text).click();
      await console.page.waitForURL(path);
      await console.text(content);
      await console.page.goBack();
    }
    await matter("Needy has failed").waitFor();
    await console.lookAt("overview");
    console.requireQuiet();
  });

  test("an approval that is given leaves the list", async () => {
    await command(platform, `approvePermissions(name: "${needy}", scopes: ["notes:read"]) { success }`);
    await matter(/^Needy waits for the approval/).waitFor({ state: "detached" });
    await matter("Needy lacks settings that it requires").waitFor();
    console.requireQuiet();
  });

  test("many failed apps are counted, and the list shows the first", async () => {
    await addApps(platform, { prefix: failed, count: 30, state: "FAILED" });
    await console.visit("/console");
    await matter("26 more of this kind").click();
    await console.page.waitForURL(/\/console\/apps\?state=FAILED$/);
    console.requireQuiet();
  });
});
