import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { webhookKey, webhookSignature } from "@appserver/contracts/webhooks";
import { type PlatformUnderTest, startOwnPlatform, testApp, until } from "@appserver/testing/kit";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

interface Received {
  readonly id: string;
  readonly signature: string;
  readonly timestamp: string;
  readonly body: Buffer;
}

describe("notifications in the console", { skip: withoutChromium }, () => {
  const received: Received[] = [];
  let status = 200;
  let receiver: Server;
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  let secret = "";
  before(async () => {
    receiver = createServer((request, response) => {
      void buffer(request).then((body) => {
        const header = (name: string) => String(request.headers[name]);
        received.push({
          id: header("webhook-id"),
          signature: header("webhook-signature"),
          timestamp: header("webhook-timestamp"),
          body,
        });
        response.writeHead(status, { connection: "close" }).end();
      });
    });
    await once(receiver.listen(0, "127.0.0.1"), "listening");
    platform = await startOwnPlatform("starts faster without apps", { flags: ["--no-examples"] });
    console = await ConsolePage.launch(platform);
    await console.visit("/console/notifications");
    await console.signIn("Ada Admin");
  });
  after(async () => {
    await console?.quit();
    await platform?.stop();
    receiver?.close();
  });
  const section = () => console.page.getByRole("region", { name: "operations", exact: true });

  test("creates a webhook, and shows its secret once", async () => {
    await console.click("New target");
    await console.dialog.getByLabel("Name").fill("operations");
    await console.dialog.getByLabel("URL").fill("http://169.254.169.254/");
    await console.dialog.getByRole("combobox", { name: "Types of events" }).click();
    await console.page.getByRole("option", { name: "App registered", exact: true }).click();
    await console.click("Create target", console.dialog);
    await console.dialog.getByText("the rules for addresses refuse it").waitFor();
    // The browser reports the refusal.
    console.problems.length = 0;
    await console.dialog.getByLabel("URL").fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`);
    await console.click("Create target", console.dialog);
    secret = (await console.dialog.getByLabel("Secret").textContent()) ?? "";
    await console.click("Done", console.dialog);
    await section().getByText("Enabled", { exact: true }).waitFor();
  });

  test("sends a test message, and shows what the receiver responded", async () => {
    await console.click("Test operations");
    await console.text("operations took the message");
    const [{ id, timestamp, signature, body } = assert.fail()] = received;
    assert.equal(signature, webhookSignature(webhookKey(secret), id, timestamp, body));
    status = 500;
    await console.click("Test operations");
    await console.text("the receiver responded with 500");
    // What failed stays until it is closed.
    await console.click("Close the notice", console.page.getByRole("alert").filter({ hasText: "did not take" }));
    status = 200;
  });

  test("shows the deliveries with their attempts, and sends one again", async () => {
    const api = { base_path: "/", upstream_base_url: "http://127.0.0.1:9" };
    await platform.register(await testApp({ name: "com.example.announced", web_app: { api } }));
    await until("the event arrives", () => received.length === 3);
    await console.page.getByRole("link", { name: "Deliveries to operations" }).click();
    await console.page.getByRole("cell", { name: "App registered", exact: true }).waitFor();
    await console.page.getByRole("cell", { name: "Delivered", exact: true }).waitFor();
    await console.click(/^Details of delivery/);
    await console.page.getByRole("region", { name: "Attempts" }).getByText("Success").waitFor();
    await console.click(/^Resend delivery/);
    await until("the event arrives again", () => received.length === 4);
    assert.equal(received[3]?.id, received[2]?.id);
    console.requireQuiet();
  });

  test("disables and deletes it", async () => {
    await console.click("Disable operations");
    await section().getByText("Disabled", { exact: true }).waitFor();
    await console.click("Delete operations");
    await console.click("Delete", console.dialog);
    await console.text("No targets");
    console.requireQuiet();
  });
});
