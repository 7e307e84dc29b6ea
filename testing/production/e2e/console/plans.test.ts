import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import {
  containerApi,
  type PlatformUnderTest,
  publishApp,
  startOwnPlatform,
  type TestApp,
  testApp,
  untilState,
  writeAppFolder,
} from "@appserver/testing/kit";
import { dataOf, purgeApp } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

const planned = "com.example.planned";
const needed = "com.example.needed";
const wanted = "com.example.wanted";
/** Long enough that a person sees the progress of a start. */
const startMs = 3_000;

const source = `
import { createServer } from "node:http";
setTimeout(() => {
  createServer((request, response) => response.end("ok")).listen(Number(process.env.PORT), process.env.HOST);
}, ${startMs});
process.once("SIGTERM", () => process.exit(0));
`;

/** An app of which nothing runs. */
const idleApp = (name: string) =>
  testApp({ name, web_app: { api: { base_path: "/", upstream_base_url: "http://127.0.0.1:9" } } });

/** Version 1.1.0 has one route more. */
function plannedApp(version: string, keys?: TestApp["keys"], more: object = {}): Promise<TestApp> {
  const api = containerApi(planned);
  const search = { pattern: "/search", methods: ["GET"], is_public: true };
  const fields = {
    version,
    dependencies: [
      { app_name: needed, kind: "HARD" },
      { app_name: wanted, kind: "SOFT" },
    ],
    required_permissions: [
      { scope: "hook:subscribe", resource_type: needed, reason: "Follows the other app.", requires_approval: true },
    ],
    web_app: { api: { ...api, routes: version === "1.0.0" ? api.routes : [...api.routes, search] } },
  };
  return testApp({ name: planned, display_name: "Planned", ...fields, ...more }, {}, keys);
}

describe("plans in the console", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  let app: TestApp;
  let folder: string | undefined;
  before(async () => {
    platform = await startOwnPlatform("starts faster without apps", { flags: ["--no-examples"] });
    folder = await writeAppFolder(source);
    await publishApp(platform, planned, folder);
    app = await plannedApp("1.0.0");
    await platform.register(await idleApp(wanted));
    await platform.register(app);
    console = await ConsolePage.launch(platform);
    await console.visit(`/console/apps/${planned}`);
    await console.signIn("Ada Admin");
  });
  after(async () => {
    await console?.quit();
    for (const name of [planned, needed, wanted]) await purgeApp(platform, name);
    await platform?.stop();
    if (folder) await rm(folder, { recursive: true });
  });
  const note = (title: string) => console.dialog.getByRole("alert", { name: title });
  const progress = (within: ConsolePage["dialog"]) =>
    within.getByRole("status").filter({ has: console.page.getByRole("progressbar") });

  test("what is in the way of an installation is named, and prevents it", async () => {
    await console.click("Install");
    await console.dialog.getByText("The image is named by its tag.").waitFor();
    await note("This is in the way").getByText(`${planned} needs ${needed}, which is not registered`).waitFor();
    await note("Note before you continue").getByText(`works better with ${wanted}, which is REGISTERED`).waitFor();
    await console.dialog.getByLabel(/^hook:subscribe /).check();
    assert.ok(await console.dialog.getByRole("button", { name: "Approve", exact: true }).isDisabled());
    await console.requireAccessible("a plan with a blocker and a warning");
    await console.click("Cancel", console.dialog);
    console.requireQuiet();
  });

  test("a permission is approved on the page of the permissions", async () => {
    await console.page.getByRole("tab", { name: "Permissions" }).click();
    const permission = console.page.getByRole("region", { name: "hook:subscribe", exact: true });
    await permission.getByText("waits for approval").waitFor();
    await console.click("Approve hook:subscribe");
    await permission.getByText("Approved", { exact: true }).waitFor();
    await permission.getByText(/approved by .*Ada Admin/).waitFor();
    console.requireQuiet();
  });

  test("an installation with its dependency shows its progress, also when it continues in the background", async () => {
    await platform.register(await idleApp(needed));
    await console.page.getByRole("tab", { name: "Overview" }).click();
    await console.click("Install");
    const steps = console.dialog.getByRole("region", { name: "Steps" }).getByRole("listitem");
    await steps.filter({ hasText: "Install Planned 1.0.0" }).waitFor();
    assert.match(
      (await steps.allTextContents()).join("\n"),
      /^Install com\.example\.needed 1\.0\.0, which Planned needs.*\nInstall Planned 1\.0\.0.*by its tag\.$/,
    );
    await console.click("Install", console.dialog);
    await progress(console.dialog)
      .getByText(/^Installation of 1\.0\.0: [\w ]+$/)
      .waitFor();
    await progress(console.dialog)
      .getByText(/^\d+ %$/)
      .waitFor();
    await console.requireAccessible("an installation in progress");
    await console.click("Continue in the background", console.dialog);
    await progress(console.page.locator("main"))
      .getByText(/^Installation of 1\.0\.0: [\w ]+$/)
      .waitFor();
    await console.text(/^Last operation: Installation of 1\.0\.0/);
    await console.state("Running").waitFor();
    console.requireQuiet();
  });

  test("an upgrade and a rollback show what changes, and their progress", async () => {
    await untilState(platform, planned, "RUNNING");
    await platform.register(await plannedApp("1.1.0", app.keys));
    const { app: found } = await dataOf<{ readonly app: { readonly id: string } }>(
      platform,
      `{ app(name: "${planned}") { id } }`,
    );
    const update = "mutation ($id: ID!, $settings: JSON!) { updateSettings(appID: $id, settings: $settings) { success } }";
    await dataOf(platform, update, { id: found.id, settings: { "backup.before_upgrade": true } });
    for (const [button, action, change, done] of [
      ["Upgrade to 1.1.0", "Upgrade", /added: .*\/search/, /^Last operation: Upgrade to 1\.1\.0/],
      ["Roll back to 1.0.0", "Roll back", /removed: .*\/search/, /^Last operation: Rollback to 1\.0\.0/],
    ] as const) {
      await console.click(button);
      await console.dialog.getByRole("region", { name: "Changes" }).getByText(change).waitFor();
      if (action === "Roll back") await console.dialog.getByLabel("With the data of before the upgrade").check();
      await console.lookAt(`the plan of ${action.toLowerCase()}`);
      await console.click(action, console.dialog);
      await progress(console.dialog).waitFor();
      await console.dialog.getByText(done).waitFor();
      await console.click("Close", console.dialog);
    }
    await console.page.getByRole("button", { name: "Upgrade to 1.1.0" }).waitFor();
    const { appSnapshots } = await dataOf<{ readonly appSnapshots: object[] }>(
      platform,
      `{ appSnapshots(name: "${planned}") { appVersion reason } }`,
    );
    assert.deepEqual(appSnapshots, [
      { appVersion: "1.1.0", reason: "RESTORE" },
      { appVersion: "1.0.0", reason: "UPGRADE" },
    ]);
    console.requireQuiet();
  });

  test("a version that names its image by digest is shown with it, and the one that serves as by tag", async () => {
    const digest = `sha256:${"5".repeat(64)}`;
    await platform.register(await plannedApp("1.2.0", app.keys, { image_digest: digest }));
    await console.page.getByText("Details", { exact: true }).first().click();
    await console.page.getByRole("row", { name: "Image by tag" }).waitFor();
    await console.click("Upgrade to 1.2.0");
    await console.dialog.getByRole("region", { name: "Steps" }).getByText(`Image ${digest}`).waitFor();
    await console.click("Cancel", console.dialog);
    console.requireQuiet();
  });
});
