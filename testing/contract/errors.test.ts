import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { type ErrorCode, errorCatalogue } from "@appserver/contracts/errors";
import {
  errorOf,
  type HttpRequest,
  type PlatformUnderTest,
  send,
  startPlatform,
  testApp,
  uniqueName,
  untilState,
  untilStatus,
} from "@appserver/testing/kit";
import { command } from "./commands.ts";
import { productionTest } from "./variants.ts";

const timeoutMs = 2_000;
const disabled = uniqueName("com.example.disabled");

/** Codes that requests to apps and their assets cannot get. `errors-by-transport.test.ts` and `operation-errors.test.ts` have them. */
const elsewhere: Partial<Record<ErrorCode, string>> = {
  CONFLICT: "of commands",
  DEPENDENCY_UNSATISFIED: "of commands",
  APPROVAL_REQUIRED: "of commands",
  INVALID_STATE: "of commands: an app that does not serve is SERVICE_UNAVAILABLE",
  INTERNAL_ERROR: "of mistakes in the platform: sessions and permissions that cannot be checked are SERVICE_UNAVAILABLE",
};

/** A backend that responds by path: successfully, never, by closing the connection, or with its own error. */
function moodyUpstream(): Server {
  return createServer((request, response) => {
    if (request.url === "/silent") return;
    if (request.url === "/cut") return void request.socket.destroy();
    response.writeHead(request.url === "/own" ? 422 : 200, { "content-type": "text/plain" }).end("from the app");
  });
}

describe("errors", () => {
  let platform: PlatformUnderTest;
  let upstream: Server;

  before(async () => {
    upstream = moodyUpstream();
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    const upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    platform = await startPlatform();
    await install(uniqueName("com.example.moody"), upstreamUrl);
    // No process listens on the port of a closed upstream.
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    for (const name of [uniqueName("com.example.gone"), disabled]) await install(name, `http://127.0.0.1:${port}`);
    await command(platform, `setAppEnabled(name: "${disabled}", enabled: false) { success }`);
    await untilStatus(platform.httpUrl, `/api/apps/${disabled}/private`, 503);
  });
  after(async () => {
    await platform.stop();
    upstream.closeAllConnections();
    upstream.close();
  });

  async function install(name: string, upstreamUrl: string): Promise<void> {
    const methods = ["GET", "POST"];
    const routes = [
      { pattern: "/private", methods, scopes: ["things:read"] },
      { pattern: "/limited", methods, is_public: true, rate_limit: { rpm: 1 } },
      { pattern: "/**", methods, is_public: true },
    ];
    const api = { base_path: "/", upstream_base_url: upstreamUrl, timeout_ms: timeoutMs, max_body_bytes: "1000", routes };
    await platform.register(await testApp({ name, web_app: { api } }));
    await platform.client().marketplace.installApp({ name });
    await untilState(platform, name, "RUNNING");
    // The server receives the change as an event. The response of a route that needs a session shows that it has.
    await untilStatus(platform.httpUrl, `/api/apps/${name}/private`, 401);
  }

  const call = (path: string, request?: HttpRequest) =>
    send(platform.httpUrl, `/api/apps/${uniqueName("com.example.moody")}${path}`, request);

  test("every error has the body and the status of its code", async () => {
    const bob = { headers: { cookie: await platform.login("bob") } };
    assert.equal((await call("/limited")).status, 200);
    const limited = await call("/limited");
    const refusals = [
      ["INVALID_REQUEST", 400, await call("/a/%2e%2e/b")],
      ["AUTHENTICATION_REQUIRED", 401, await call("/private")],
      ["AUTHENTICATION_FAILED", 401, await call("/private", { headers: { authorization: "Bearer forged" } })],
      ["AUTHENTICATION_FAILED", 401, await call("/private", { headers: { "x-app-name": uniqueName("com.example.moody") } })],
      ["PERMISSION_DENIED", 403, await call("/private", bob)],
      ["NOT_FOUND", 404, await send(platform.httpUrl, "/api/apps/com.example.none/")],
      ["NOT_FOUND", 404, await send(platform.httpUrl, "/nowhere")],
      ["NOT_FOUND", 404, await send(platform.httpUrl, `/apps/${uniqueName("com.example.moody")}/assets/none.js`)],
      ["INVALID_REQUEST", 405, await call("/x", { method: "DELETE" })],
      ["INVALID_REQUEST", 413, await call("/x", { method: "POST", body: "x".repeat(1001) })],
      ["RATE_LIMIT_EXCEEDED", 429, limited],
      ["SERVICE_UNAVAILABLE", 503, await send(platform.httpUrl, `/api/apps/${disabled}/x`)],
      ["UPSTREAM_ERROR", 502, await send(platform.httpUrl, `/api/apps/${uniqueName("com.example.gone")}/x`)],
      ["UPSTREAM_ERROR", 502, await call("/cut")],
      ["UPSTREAM_TIMEOUT", 504, await call("/silent")],
    ] as const;
    for (const [code, status, answer] of refusals) {
      const body = errorOf(answer);
      assert.deepEqual([body.code, answer.status], [code, status], answer.text);
      assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
      assert.ok(body.error.length > 0 && Object.hasOwn(errorCatalogue, body.code));
      assert.match(String(answer.headers["x-request-id"]), /^[A-Za-z0-9._-]{1,64}$/);
      assert.equal(answer.headers["retry-after"] !== undefined, status === 429 || status === 503, answer.text);
      assert.doesNotMatch(answer.text, /127\.0\.0\.1|ECONN|node:|\.ts\b/, "the response shows internals of the platform");
    }
    const provoked = new Set<string>([...refusals.map(([code]) => code), ...Object.keys(elsewhere)]);
    assert.deepEqual([...provoked].sort(), Object.keys(errorCatalogue).sort());

    const { details } = errorOf(limited);
    const wait = Number(limited.headers["retry-after"]);
    assert.deepEqual(details, { limit: 1, window: 60, retry_after: wait });
    assert.ok(wait >= 1 && wait <= 60, String(wait));
    const { "x-ratelimit-limit": limit, "x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset } = limited.headers;
    assert.deepEqual([limit, remaining], ["1", "0"]);
    assert.ok(Math.abs(Number(reset) - Date.now() / 1_000 - wait) < 10, String(reset));
  });

  productionTest("production has no development login", async () => {
    for (const method of ["GET", "POST"])
      assert.equal((await send(platform.httpUrl, "/dev/login", { method })).status, 404, method);
  });
});
