import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import {
  errorOf,
  type PlatformUnderTest,
  startPlatform,
  testApp,
  uniqueName,
  untilState,
  untilStatus,
} from "@appserver/testing/kit";
import { command } from "./commands.ts";

interface Transition {
  readonly from: string | null;
  readonly to: string;
}

describe("app states", () => {
  let platform: PlatformUnderTest;
  let upstream: Server;
  let upstreamUrl: string;
  let isWell = false;

  before(async () => {
    upstream = createServer((_request, response) => {
      response.writeHead(isWell ? 200 : 500).end();
    });
    await once(upstream.listen(0, "127.0.0.1"), "listening");
    upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    platform = await startPlatform();
  });
  after(async () => {
    await platform.stop();
    upstream.closeAllConnections();
    upstream.close();
  });

  const register = async (name: string, api: object = {}, more: object = {}) => {
    const web_app = { api: { base_path: "/", upstream_base_url: upstreamUrl, ...api } };
    return platform.register(await testApp({ name, web_app, ...more }));
  };
  const change = async (operation: "installApp" | "uninstallApp", name: string): Promise<string> => {
    type Changed = Record<"changed", { readonly app: { readonly state: string } }>;
    return (await command<Changed>(platform, `changed: ${operation}(name: "${name}") { app { state } }`)).changed.app.state;
  };
  const appOf = async (name: string) => {
    const { data } = await platform.graphql(
      "query ($name: String!) { app(name: $name) { state health lastError { code message } history { from to } } }",
      { name },
    );
    return (data as { app: { state: string; health: string; lastError: object | null; history: Transition[] } }).app;
  };
  /** Oldest first. */
  const wayOf = async (name: string) =>
    (await appOf(name)).history.map(({ from, to }) => `${from ?? "-"} → ${to}`).toReversed();

  test("registered, installed, running, uninstalled, and installed again", async () => {
    const name = uniqueName("com.example.plain");
    await register(name);
    assert.equal((await appOf(name)).state, "REGISTERED");
    await change("installApp", name);
    await untilState(platform, name, "RUNNING");
    await change("uninstallApp", name);
    await untilState(platform, name, "UNINSTALLED");
    await change("installApp", name);
    await untilState(platform, name, "RUNNING");
    const installing = ["INSTALLING → INSTALLED", "INSTALLED → RUNNING"];
    assert.deepEqual(await wayOf(name), [
      "- → REGISTERED",
      "REGISTERED → INSTALLING",
      ...installing,
      "RUNNING → UNINSTALLING",
      "UNINSTALLING → UNINSTALLED",
      "UNINSTALLED → INSTALLING",
      ...installing,
    ]);
  });

  test("a missing dependency: a HARD one is a warning of the registration and blocks the installation, a SOFT one warns", async () => {
    const [hard, soft] = [uniqueName("com.example.house"), uniqueName("com.example.soft")];
    const dependsOn = (kind: string) => ({ dependencies: [{ app_name: "com.example.absent", kind }] });
    const { warnings } = await register(hard, {}, dependsOn("HARD"));
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ["DEPENDENCY_UNSATISFIED"],
    );
    const { errors } = await platform.graphql(`mutation { installApp(name: "${hard}") { success } }`);
    assert.equal(errors?.[0]?.extensions.code, "DEPENDENCY_UNSATISFIED");
    await register(soft, {}, dependsOn("SOFT"));
    type Installed = Record<"installApp", { readonly warnings: readonly { readonly message: string }[] }>;
    const { installApp } = await command<Installed>(platform, `installApp(name: "${soft}") { warnings { message } }`);
    assert.match(installApp.warnings[0]?.message ?? "", /com\.example\.absent/);
  });

  test("an app with a health check runs when it passes, is UNHEALTHY and not proxied while it fails, and recovers", async () => {
    const name = uniqueName("com.example.watched");
    const path = `/api/apps/${name}/x`;
    isWell = false;
    const health_check = { path: "/health", interval_seconds: 1, timeout_ms: 10_000, unhealthy_threshold: 2 };
    await register(name, { health_check, routes: [{ pattern: "/**", methods: ["GET"], is_public: true }] });
    assert.equal(await change("installApp", name), "INSTALLED");
    const early = await untilStatus(platform.httpUrl, path, 503);
    assert.equal(errorOf(early).code, "SERVICE_UNAVAILABLE");
    assert.match(early.headers["retry-after"] ?? "", /^\d+$/);
    isWell = true;
    await untilState(platform, name, "RUNNING");
    await untilStatus(platform.httpUrl, path, 200);
    isWell = false;
    await untilState(platform, name, "UNHEALTHY");
    const { health, lastError } = await appOf(name);
    assert.equal(health, "UNHEALTHY");
    assert.ok(lastError);
    await untilStatus(platform.httpUrl, path, 503);
    isWell = true;
    await untilState(platform, name, "RUNNING");
    await untilStatus(platform.httpUrl, path, 200);
    assert.equal((await appOf(name)).lastError, null);
    assert.deepEqual((await wayOf(name)).slice(-3), ["INSTALLED → RUNNING", "RUNNING → UNHEALTHY", "UNHEALTHY → RUNNING"]);
  });
});
