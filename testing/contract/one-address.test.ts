import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import { createPlatformClient, type PlatformClient, registerApp } from "@appserver/sdk";
import { type PlatformUnderTest, platformVariant, send, startPlatform, testApp, uniqueName } from "@appserver/testing/kit";
import { Code, ConnectError } from "@connectrpc/connect";
import { purgeApp } from "./commands.ts";

describe("gRPC on the HTTP port", () => {
  const name = uniqueName("com.example.one-address");
  let platform: PlatformUnderTest;
  let client: PlatformClient;
  before(async () => {
    platform = await startPlatform();
    client = createPlatformClient({ grpcUrl: platform.httpUrl, token: await platform.sessionToken("admin") });
  });
  after(async () => {
    await purgeApp(platform, name);
    await platform.stop();
  });

  test("registers an app by a stream, installs it and reads it", async () => {
    const contents = `export default ${JSON.stringify("x".repeat(5 * 1024 * 1024))};\n`;
    const ui = { mode: "ESM_COMPONENT", entry_asset_name: "main.js", route_base: `/${name}` };
    const settings = { definitions: [{ key: "size", data_type: "INT" }] };
    const app = await testApp({ name, settings, web_app: { assets: ["main.js"], ui } }, { "main.js": contents });
    assert.equal((await registerApp(client, app, platform.registration.token)).changed, true);
    assert.equal((await client.marketplace.installApp({ name })).app?.name, name);
    assert.equal((await client.marketplace.getApp({ name })).app?.state, AppState.RUNNING);
  });

  test("streams messages, and ends with its client", async () => {
    const { app } = await client.marketplace.getApp({ name });
    const appId = app?.id ?? assert.fail("no id");
    const over = new AbortController();
    const seen: unknown[] = [];
    await assert.rejects(
      async () => {
        for await (const { settings } of client.settings.watchSettings({ appId }, { signal: over.signal })) {
          seen.push(settings?.values?.["size"]);
          if (seen.length === 1) await client.settings.updateSettings({ appId, values: { size: 7 } });
          else over.abort();
        }
      },
      ({ code }: ConnectError) => code === Code.Canceled,
    );
    assert.equal(seen.at(-1), 7);
  });

  test("refuses what it does not have and whom it does not know, in the form of the protocol", async () => {
    const stranger = createPlatformClient({ grpcUrl: platform.httpUrl });
    const code = await stranger.marketplace
      .installApp({ name: "com.example.none" })
      .catch((error: unknown) => ConnectError.from(error).code);
    assert.equal(code, platformVariant === "embedded" ? Code.NotFound : Code.Unauthenticated);
    const path = "/appserver.v2.MarketplaceService/GetApp";
    const headers = { "content-type": "application/json", ...platform.administrator };
    const read = await send(platform.httpUrl, path, { method: "POST", headers, body: JSON.stringify({ name }) });
    assert.deepEqual([read.status, JSON.parse(read.text).app.name], [200, name]);
    const unknown = await send(platform.httpUrl, "/appserver.v2.MarketplaceService/Fly", {
      method: "POST",
      headers,
      body: "{}",
    });
    assert.equal(unknown.status, 404);
    // A browser sends its cookies with requests of any page: they are no credentials here.
    const cookie = await platform.login("admin");
    const forged = await send(platform.httpUrl, path, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify({ name }),
    });
    assert.equal(forged.status, platformVariant === "embedded" ? 200 : 401);
  });
});
