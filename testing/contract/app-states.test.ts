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

  const register = async (name: string, more: object = {}, api: object = {}) => {
    const webApi = { base_path: "/", upstream_base_url: upstreamUrl, ...api };
    const app = await testApp({ name, web_app: { api: webApi }, ...more });
    return platform.register(app);
  };
  const mutate = (operation: "installApp" | "uninstallApp", name: string) =>
    platform.graphql(`mutation ($name: String!) { ${operation}(name: $name) { app { state } warnings { code message } } }`, {
      name,
    });
  const change = async (operation: "installApp" | "uninstallApp", name: string) => {
    const { data, errors } = await mutate(operation, name);
    assert.equal(errors, undefined, JSON.stringify(errors));
    return (data as Record<string, { app: { state: string }; warnings: { code: string; message: string }[] }>)[operation];
  };
  const refusal = async (operation: "installApp" | "uninstallApp", name: string) => {
    const [error] = (await mutate(operation, name)).errors ?? [];
    return { code: error?.extensions.code, message: error?.message ?? "" };
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

  test("a transition that is not in the table is INVALID_STATE and changes nothing", async () => {
    const name = uniqueName("com.example.untouched");
    await register(name);
    const { code, message } = await refusal("uninstallApp", name);
    assert.equal(code, "INVALID_STATE");
    assert.match(message, /REGISTERED.*UNINSTALLING/);
    assert.deepEqual(await wayOf(name), ["- → REGISTERED"]);
  });

  test("of two concurrent commands on one app one succeeds and the other is refused", async () => {
    const name = uniqueName("com.example.raced");
    await register(name);
    const answers = await Promise.all([mutate("installApp", name), mutate("installApp", name)]);
    await untilState(platform, name, "RUNNING");
    assert.equal((await wayOf(name)).filter((step) => step === "REGISTERED → INSTALLING").length, 1);
    for (const { errors } of answers) {
      for (const { extensions } of errors ?? []) assert.match(extensions.code, /^(CONFLICT|INVALID_STATE)$/);
    }
    assert.ok(answers.some(({ errors }) => errors === undefined));
  });

  test("an app with a health check runs when it passes, is UNHEALTHY and not proxied while it fails, and recovers", async () => {
    const name = uniqueName("com.example.watched");
    const path = `/api/apps/${name}/x`;
    isWell = false;
    const health_check = { path: "/health", interval_seconds: 1, timeout_ms: 10_000, unhealthy_threshold: 2 };
    await register(name, {}, { health_check, routes: [{ pattern: "/**", methods: ["GET"], is_public: true }] });
    assert.equal((await change("installApp", name))?.app.state, "INSTALLED");
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

  test("a HARD dependency that is missing, or of the wrong version, blocks installation", async () => {
    const [base, user] = [uniqueName("com.example.base"), uniqueName("com.example.user")];
    const dependencies = [{ app_name: base, kind: "HARD", version_constraint: "^1.2.0" }];
    const { warnings } = await register(user, { dependencies });
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ["DEPENDENCY_UNSATISFIED"],
    );
    assert.equal((await refusal("installApp", user)).code, "DEPENDENCY_UNSATISFIED");
    assert.equal((await appOf(user)).state, "REGISTERED");
    await register(base, { version: "1.1.9" });
    const old = await refusal("installApp", user);
    assert.equal(old.code, "DEPENDENCY_UNSATISFIED");
    assert.match(old.message, /com\.example\.base/);
  });

  test("a dependency is installed first and cannot be uninstalled while another app needs it", async () => {
    const [base, user] = [uniqueName("com.example.ground"), uniqueName("com.example.house")];
    await register(base, { version: "1.4.0" });
    await register(user, { dependencies: [{ app_name: base, kind: "HARD", version_constraint: "^1.2.0" }] });
    await change("installApp", user);
    await untilState(platform, user, "RUNNING");
    await untilState(platform, base, "RUNNING");
    const { code, message } = await refusal("uninstallApp", base);
    assert.equal(code, "DEPENDENCY_UNSATISFIED");
    assert.match(message, /com\.example\.house/);
    assert.equal((await appOf(base)).state, "RUNNING");
    await change("uninstallApp", user);
    await change("uninstallApp", base);
  });

  test("a missing SOFT dependency is a warning", async () => {
    const name = uniqueName("com.example.soft");
    await register(name, { dependencies: [{ app_name: "com.example.absent", kind: "SOFT" }] });
    const { warnings = [] } = (await change("installApp", name)) ?? {};
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]?.message ?? "", /com\.example\.absent/);
    await untilState(platform, name, "RUNNING");
  });
});
