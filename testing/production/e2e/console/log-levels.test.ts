import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import {
  containerApi,
  type PlatformUnderTest,
  publishApp,
  startOwnPlatform,
  testApp,
  writeAppFolder,
} from "@appserver/testing/kit";
import { command, purgeApp } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

const app = "com.example.printer";

/** Prints lines of each level in several forms. */
const source = `
import { createServer } from "node:http";

console.error("ERROR: the printer is on fire");
console.log(JSON.stringify({ level: 50, msg: "numbered" }));
console.log(JSON.stringify({ severity: "WARNING", message: "paper is low" }));
console.log("[info] \\u001b[32mready\\u001b[0m");
console.log("2026-01-01 DEBUG tick");
console.log("0 errors in <b>this</b> line");
createServer((request, response) => response.end("ok")).listen(Number(process.env.PORT), process.env.HOST);
`;

describe("the levels of a log in the console", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  let folder: string;
  before(async () => {
    platform = await startOwnPlatform("starts faster without apps", { flags: ["--no-examples"] });
    folder = await writeAppFolder(source);
    await publishApp(platform, app, folder);
    await platform.register(await testApp({ name: app, web_app: { api: containerApi(app) } }));
    await command(platform, `installApp(name: "${app}") { success }`);
    console = await ConsolePage.launch(platform);
  });
  after(async () => {
    await console?.quit();
    await purgeApp(platform, app);
    await platform?.stop();
    if (folder) await rm(folder, { recursive: true });
  });

  test("lines have the colour of their level, and are filtered by it", async () => {
    await console.visit(`/console/apps/${app}/logs`);
    await console.signIn("Ada Admin");
    const lines = console.page.getByRole("region", { name: `Log of ${app}` });
    const textsOf = (level: string) => lines.locator(`[data-level=${level}] .log-text`).allTextContents();
    await lines.getByText("0 errors in <b>this</b> line", { exact: true }).waitFor();
    await lines.getByText("ERROR: the printer is on fire").waitFor();
    assert.deepEqual((await textsOf("error")).sort(), ["ERROR: the printer is on fire", "numbered"]);
    assert.deepEqual(await textsOf("warning"), ["paper is low"]);
    assert.deepEqual(await textsOf("info"), ["[info] ready"]);
    assert.deepEqual(await textsOf("debug"), ["2026-01-01 DEBUG tick"]);
    await console.requireAccessible("the levels");
    await console.page.getByRole("combobox", { name: "Level" }).click();
    await console.page.getByRole("option", { name: "Warning" }).click();
    await lines.getByText("[info] ready").waitFor({ state: "detached" });
    assert.match(console.page.url(), /level=warning/);
    await console.page.reload();
    await lines.getByText("paper is low").waitFor();
    assert.equal(await lines.getByText("[info] ready").count(), 0);
    console.requireQuiet();
  });
});
