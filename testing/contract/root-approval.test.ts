import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { type PlatformUnderTest, publishApp, startPlatform } from "@appserver/testing/kit";
import { untilStatus } from "./http.ts";
import { linesApp } from "./lines-app.ts";
import { testApp } from "./test-app.ts";
import { untilState } from "./until-state.ts";

const name = "com.example.root-user";
const timeoutMs = 120_000;

describe("an app that runs as root", () => {
  let platform: PlatformUnderTest;
  let folder = "";
  before(async () => {
    folder = await linesApp();
    platform = await startPlatform({ ownApps: true });
    const routes = [{ pattern: "/**", methods: ["GET"], is_public: true }];
    const health_check = { path: "/health", interval_seconds: 1 };
    const api = { base_path: "/", upstream_base_url: `http://app-${name}:3000`, health_check, routes };
    const required_permissions = [{ scope: "container:root", reason: "Binds a device." }];
    await platform.register(await testApp({ name, user: "root", required_permissions, web_app: { api } }));
    await publishApp(platform, name, folder);
  });
  after(async () => {
    await platform
      ?.client()
      .marketplace.uninstallApp({ name, purgeData: true })
      .catch(() => {});
    await platform?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const command = async (mutation: string): Promise<void> => {
    const { errors } = await platform.graphql(`mutation { ${mutation} { success } }`);
    assert.equal(errors, undefined, JSON.stringify(errors));
  };
  const scopes = `(name: "${name}", scopes: ["container:root"])`;

  test("stops within seconds when container:root is revoked, says why, and starts when it is approved again", async () => {
    await command(`approvePermissions${scopes}`);
    await command(`installApp(name: "${name}")`);
    await untilState(platform, name, "RUNNING", timeoutMs);
    await untilStatus(platform.httpUrl, `/api/apps/${name}/lines`, 200);

    await command(`revokePermissions${scopes}`);
    await untilState(platform, name, "FAILED", 20_000);
    const { data } = await platform.graphql(
      `{ app(name: "${name}") { lastError { code message } deployment { state lastError { code } } } }`,
    );
    const code = "APPROVAL_REQUIRED";
    assert.partialDeepStrictEqual(data, { app: { lastError: { code }, deployment: { state: "FAILED", lastError: { code } } } });
    assert.match(JSON.stringify(data), /it would run as root, and com\.example\.root-user has no approval of container:root/);
    await untilStatus(platform.httpUrl, `/api/apps/${name}/lines`, 503);

    await command(`approvePermissions${scopes}`);
    await untilState(platform, name, "RUNNING", timeoutMs);
    await untilStatus(platform.httpUrl, `/api/apps/${name}/lines`, 200);
  });
});
