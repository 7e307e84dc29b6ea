import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { eventually, type PlatformUnderTest, send, startPlatform, testApp } from "@appserver/testing/kit";
import { command, purgeApp } from "../../../contract/commands.ts";
import { messageOf } from "../../../contract/mcp-messages.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

const toggled = "com.example.toggled";
const changes = 60;
const containerlessApi = { base_path: "/", upstream_base_url: "http://127.0.0.1:9" };

describe("the audit log in the console", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  /** The administrator of the API. */
  let actor: string;
  before(async () => {
    platform = await startPlatform();
    actor = platform.variant === "embedded" ? "system" : `user:${platform.userId("admin")}`;
    // Nothing of it runs.
    await platform.register(await testApp({ name: toggled, web_app: { api: containerlessApi } }));
    await command(platform, `installApp(name: "${toggled}") { success }`);
    for (let change = 0; change < changes; change += 1)
      await command(platform, `setAppEnabled(name: "${toggled}", enabled: ${change % 2 === 1}) { success }`);
    console = await ConsolePage.launch(platform);
  });
  after(async () => {
    await console?.quit();
    await purgeApp(platform, toggled);
    await platform?.stop();
  });
  const rows = (text: string) => console.page.getByRole("row").filter({ hasText: text });
  const exported = async () => {
    const [file] = await Promise.all([console.page.waitForEvent("download"), console.click("Export as CSV")]);
    assert.equal(file.suggestedFilename(), "audit-log.csv");
    return (await readFile(await file.path(), "utf8")).trimEnd().split("\r\n");
  };

  test("lists actor, action, target, outcome and details, page by page", async () => {
    await console.visit("/console");
    await console.signIn("Ada Admin");
    await console.page.getByRole("link", { name: "Audit log" }).click();
    await console.page.getByRole("heading", { name: "Audit log", level: 1 }).waitFor();
    await rows("app.disable").first().waitFor();
    const disabled = (await rows("app.disable").first().textContent()) ?? "";
    assert.ok(disabled.includes(`app.disableapp:${toggled}Success`), disabled);
    assert.equal(await rows("app:").count(), 50);
    await console.requireAccessible("the audit log");
    await console.click("Show more");
    await rows("app.register").first().waitFor();
    const details = rows("app.install").filter({ hasText: toggled }).first();
    assert.match((await details.textContent()) ?? "", /version: 1\.0\.0/);
    console.requireQuiet();
  });

  test("is filtered by target, and keeps the filter in the URL", async () => {
    await console.visit("/console/audit");
    await rows(toggled).first().waitFor();
    await console.page.getByRole("combobox", { name: "Target" }).fill("app:com.example.notes");
    await rows(toggled).first().waitFor({ state: "detached" });
    await rows("app.install").first().waitFor();
    assert.match(console.page.url(), /target=app%3Acom\.example\.notes/);
    await console.page.reload();
    await rows("app.install").first().waitFor();
    assert.equal(await rows(toggled).count(), 0);
    await console.page.getByRole("combobox", { name: "Target" }).fill("app:none");
    await console.text("No entries");
    await console.requireAccessible("no entries");
    await console.visit("/console/audit");
    await console.page
      .getByRole("link", { name: `app:${toggled}` })
      .first()
      .click();
    await console.page.waitForURL(/target=/);
    // The field has the title of the app, which is read for it.
    await eventually(
      () => console.page.getByRole("combobox", { name: "Target" }).inputValue(),
      (shown) => shown === toggled,
    );
    console.requireQuiet();
  });

  test("is filtered by actor, action, outcome and time", async () => {
    const field = (name: string) => console.page.getByRole("combobox", { name, exact: true });
    await console.visit("/console/audit");
    await rows("app.enable").first().waitFor();
    await field("Action").fill("app.disable");
    await rows("app.enable").first().waitFor({ state: "detached" });
    await rows("app.disable").first().waitFor();
    await field("Actor").fill("user:nobody");
    await console.text("No entries");
    await field("Actor").fill(actor);
    await rows("app.disable").first().waitFor();
    await field("Outcome").click();
    await console.page.getByRole("option", { name: "Denied", exact: true }).click();
    await console.text("No entries");
    assert.match(console.page.url(), /action=app\.disable/);
    assert.match(console.page.url(), /outcome=denied/);
    await console.visit("/console/audit?outcome=success&since=2020-01-01T00:00");
    await rows("app.enable").first().waitFor();
    await console.lookAt("the filtered audit log");
    await console.visit("/console/audit?until=2020-01-01T00:00");
    await console.text("No entries");
    await console.visit("/console/audit?action=app.install");
    await rows("app.install").first().waitFor();
    const [, ...some] = await exported();
    assert.ok(some.length > 0 && some.every((line) => line.includes(",app.install,")));
    console.requireQuiet();
  });

  test("an entry of a language model names its program, which leads to all entries of the program", async () => {
    const { headers, body } = messageOf("2026-07-28", "editor", { name: "viewer" });
    const authorization = `Bearer ${await platform.sessionToken("admin")}`;
    await send(platform.httpUrl, "/mcp", {
      method: "POST",
      headers: { ...headers, authorization },
      body: JSON.stringify(body),
    });
    const { page } = console;
    await eventually(async () => {
      await console.visit("/console/audit?action=agent.call");
      await page.getByRole("link", { name: "by said: editor" }).first().click({ timeout: 2_000 });
    });
    await page.waitForURL(/client=said/);
    await rows("tool:viewer").first().waitFor();
    assert.equal(await rows("app.disable").count(), 0);
    await console.requireAccessible("entries of a language model");
    console.requireQuiet();
  });

  test("a filter is saved as a view of the page, which leads back to it, until it is removed", async () => {
    const { page } = console;
    await console.visit("/console/audit?action=app.disable");
    await rows("app.disable").first().waitFor();
    await console.click("Save view");
    await page.getByRole("textbox", { name: "Name of the present filter" }).fill("Disabled apps");
    await page.keyboard.press("Enter");
    await console.visit("/console/audit");
    await rows("app.enable").first().waitFor();
    await console.click("Views (1)");
    await page.getByRole("link", { name: "Disabled apps" }).click();
    await rows("app.enable").first().waitFor({ state: "detached" });
    assert.match(page.url(), /action=app\.disable/);
    await console.click("Views (1)");
    await console.click("Remove view Disabled apps");
    await page.getByRole("button", { name: "Save view" }).waitFor();
    console.requireQuiet();
  });

  test("is exported as CSV, whole or as it is filtered", async () => {
    await console.visit("/console/audit");
    await rows(toggled).first().waitFor();
    const [head, ...all] = await exported();
    assert.equal(head, "at,actor,client,action,target,outcome,details,trace_id");
    assert.ok(all.length > changes && all.some((line) => line.includes("com.example.notes")), `${all.length} lines`);
    assert.match(all.find((line) => line.includes("app.register")) ?? "", /,"\{""version"":/);
    await console.visit("/console/audit?target=app:com.example.notes");
    await rows("app.install").first().waitFor();
    const [, ...some] = await exported();
    assert.ok(some.length > 0 && some.every((line) => line.includes(",app:com.example.notes,")));
    console.requireQuiet();
  });
});
