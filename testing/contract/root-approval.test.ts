import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import {
  containerApi,
  type PlatformUnderTest,
  publishApp,
  startPlatform,
  testApp,
  uniqueName,
  untilState,
  untilStatus,
} from "@appserver/testing/kit";
import { command, purgeApp } from "./commands.ts";
import { linesApp } from "./lines-app.ts";

const name = uniqueName("com.example.root-user");
const timeoutMs = 120_000;

describe("an app that runs as root", () => {
  let platform: PlatformUnderTest;
  let folder = "";
  before(async () => {
    folder = await linesApp();
    platform = await startPlatform();
    await publishApp(platform, name, folder);
    const required_permissions = [{ scope: "container:root", reason: "Binds a device." }];
    await platform.register(
      await testApp({ name, user: "root", required_permissions, web_app: { api: containerApi(name, ["GET"]) } }),
    );
  });
  after(async () => {
    await purgeApp(platform, name);
    await platform?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const scopes = `(name: "${name}", scopes: ["container:root"])`;

  test("stops within seconds when container:root is revoked, says why, and starts when it is approved again", async () => {
    await command(platform, `approvePermissions${scopes} { success }`);
    await command(platform, `installApp(name: "${name}") { success }`);
    await untilState(platform, name, "RUNNING", timeoutMs);
    await untilStatus(platform.httpUrl, `/api/apps/${name}/lines`, 200);

    await command(platform, `revokePermissions${scopes} { success }`);
    await untilState(platform, name, "FAILED", 20_000);
    const { data } = await platform.graphql(
      `{ app(name: "${name}") { lastError { code message } deployment { state lastError { code } } } }`,
    );
    const code = "APPROVAL_REQUIRED";
    assert.partialDeepStrictEqual(data, { app: { lastError: { code }, deployment: { state: "FAILED", lastError: { code } } } });
    assert.match(
      JSON.stringify(data),
      /it would run as root, and com\.example\.root-user\S* has no approval of container:root/,
    );
    await untilStatus(platform.httpUrl, `/api/apps/${name}/lines`, 503);

    await command(platform, `approvePermissions${scopes} { success }`);
    await untilState(platform, name, "RUNNING", timeoutMs);
    await untilStatus(platform.httpUrl, `/api/apps/${name}/lines`, 200);
  });
});
