import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type PlatformUnderTest, startPlatform } from "@appserver/testing/kit";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

const app = "com.example.notes";

describe("trying the routes of an app in the console", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  before(async () => {
    platform = await startPlatform();
    console = await ConsolePage.launch(platform);
    await console.visit("/console");
    await console.signIn("Ada Admin");
  });
  after(async () => {
    await console?.quit();
    await platform?.stop();
  });

  test("a route is tried with the session: status, limit, request id and body", async () => {
    await console.visit(`/console/apps/${app}/routes`);
    await console.click("Try it: GET /limited");
    await console.click("Send", console.dialog);
    const response = console.page.getByRole("region", { name: "Response", exact: true });
    await response.getByText(/^(200 OK|429 Too Many Requests)$/).waitFor();
    await response.getByText("x-ratelimit-limit", { exact: true }).first().waitFor();
    await response.getByText(/^request [\w-]+$/).waitFor();
    await console.requireAccessible("a route that is tried");
    await console.page.keyboard.press("Escape");
    await console.click("Try it: GET /notes/{id}");
    assert.ok(await console.dialog.getByRole("button", { name: "Send" }).isDisabled());
    await console.dialog.getByLabel("id").fill("no/such note");
    await console.dialog.getByText(`GET /api/apps/${app}/notes/no%2Fsuch%20note`).waitFor();
    await console.click("Send", console.dialog);
    await response.getByText(/^40\d /).waitFor();
    console.requireQuiet("Failed to load resource");
  });

  test("an unsafe method is sent after a question only", async () => {
    await console.visit(`/console/apps/${app}/routes`);
    await console.click("Try it: POST /notes");
    await console.dialog.getByLabel("Body").fill('{"text":"from the console"}');
    await console.click("Send", console.dialog);
    const question = console.page.getByRole("dialog", { name: "Send POST?" });
    await console.requireAccessible("the question before a route is tried");
    await console.click("Cancel", question);
    assert.equal(await console.page.getByRole("region", { name: "Response", exact: true }).count(), 0);
    await console.click("Send", console.dialog.first());
    await console.click("Send POST", question);
    await console.page.getByText("201 Created").waitFor();
    assert.match(
      (await console.page.getByRole("region", { name: "Response body" }).textContent()) ?? "",
      /"text": "from the console"/,
    );
    console.requireQuiet();
  });
});
