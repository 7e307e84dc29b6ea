import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type TestContext, test } from "node:test";
import { signedMessage } from "@appserver/contracts/signature";
import type { ProxiedApp, ProxyDeps } from "../src/index.ts";
import { app, echo, handshake, listen, perMinute, route, TestProxy } from "./fakes.ts";

function scene(t: TestContext, deps: Partial<ProxyDeps> = {}): TestProxy {
  const proxy = new TestProxy({ deps });
  t.after(() => proxy.stop());
  proxy.identity.sessions.set("alice", { userId: "alice", displayName: "Alice" });
  proxy.identity.sessions.set("bob", { userId: "bob", displayName: "Bob" });
  return proxy;
}

const as = (user: string) => ({ cookie: `identity_session=${user}` });
const guarded = { isPublic: false, scopes: ["notes:read", "notes:list"] };

test("an unknown app costs the same as an installed one: neither is read from the registry", async (t) => {
  const asked: string[] = [];
  const installed: ProxiedApp[] = [];
  const get = (name: string) => {
    asked.push(name);
    return installed.find((one) => one.name === name);
  };
  const refresh = async (name: string) => void asked.push(name);
  const proxy = new TestProxy({ deps: { installed: { all: () => installed, get, refresh } } });
  t.after(() => proxy.stop());
  installed.push(app({ url: await proxy.upstream(echo), api: { routes: [route("/x", { isPublic: false })] } }));
  await proxy.start();
  for (const name of ["demo", "unknown", "demo", "unknown"]) await proxy.fetch(`/api/apps/${name}/x`);
  assert.deepEqual(
    (await proxy.logged(4)).map(({ status }) => status),
    [401, 404, 401, 404],
  );
  assert.deepEqual([asked, proxy.identity.asked, proxy.authorization.asked], [[], 0, 0]);
});

test("401 without a session, 403 without one of the scopes, 200 with all, and one log line each", async (t) => {
  const proxy = scene(t);
  await proxy.start(app({ url: await proxy.upstream(echo), api: { routes: [route("/notes", { id: "notes", ...guarded })] } }));
  proxy.authorization.grant("user:alice", "permission_scope:demo/read_notes");
  const path = "/api/apps/demo/notes";
  const anonymous = await proxy.fetch(path);
  assert.deepEqual(
    [anonymous.status, Object.keys(anonymous.json()), anonymous.json()["code"]],
    [401, ["error", "code", "details"], "AUTHENTICATION_REQUIRED"],
  );
  const denied = await proxy.fetch(path, { headers: as("alice") });
  assert.deepEqual([denied.status, denied.json()["details"]], [403, { required_permission: "notes:list" }]);
  proxy.authorization.grant("user:bob", "permission_scope:demo/read_notes");
  proxy.authorization.grant("user:bob", "permission_scope:demo/list_notes");
  assert.equal((await proxy.fetch(path, { headers: as("bob") })).status, 200);
  const lines = await proxy.logged(3);
  assert.deepEqual(
    lines.map(({ requestId, method, route, status, app, caller, reasonId }) => [
      requestId,
      method,
      route,
      status,
      app,
      caller,
      reasonId,
    ]),
    [
      ["r1", "GET", "notes", 401, "demo", "anonymous", "credentials_missing"],
      ["r2", "GET", "notes", 403, "demo", "user:alice", "permission_denied"],
      ["r3", "GET", "notes", 200, "demo", "user:bob", undefined],
    ],
  );
  assert.ok(typeof lines[2]?.["upstreamMs"] === "number" && typeof lines[2]["durationMs"] === "number");
});

test("a public route needs neither identity nor authorization, even when both are unavailable", async (t) => {
  const proxy = scene(t);
  await proxy.start(app({ url: await proxy.upstream(echo), api: { routes: [route("/ping"), route("/notes", guarded)] } }));
  proxy.identity.outage = true;
  const headers = as("alice");
  const answer = await proxy.fetch("/api/apps/demo/ping", { headers });
  assert.deepEqual([answer.status, (answer.json()["headers"] as Record<string, string>)["x-user-id"]], [200, undefined]);
  const closed = await proxy.fetch("/api/apps/demo/notes", { headers });
  assert.deepEqual([closed.status, closed.headers["retry-after"], proxy.requests.length > 0], [503, "5", true]);
  proxy.identity.outage = false;
  proxy.authorization.outage = true;
  assert.equal((await proxy.fetch("/api/apps/demo/notes", { headers })).json()["code"], "SERVICE_UNAVAILABLE");
});

test("unknown, unmatched, wrong method, unavailable: 404, 404, 405 with Allow, 503 with Retry-After", async (t) => {
  const proxy = scene(t);
  const url = await proxy.upstream(echo);
  await proxy.start(
    app({
      url,
      api: {
        routes: [
          route("/notes", { methods: ["GET"] }),
          route("/notes", { methods: ["POST"] }),
          route("/**", { methods: ["DELETE"] }),
        ],
      },
    }),
    app({ name: "off", url, upstream: { unavailable: "disabled", retryAfterSeconds: 7 } }),
    app({ name: "broken", url, api: { routes: [route("regex:(")] } }),
  );
  assert.equal((await proxy.fetch("/api/apps/nobody/x")).status, 404);
  assert.equal((await proxy.fetch("/api/apps/")).status, 404);
  assert.equal((await proxy.fetch("/api/apps//demo/notes")).status, 404);
  const method = await proxy.fetch("/api/apps/demo/notes", { method: "DELETE" });
  assert.deepEqual([method.status, method.headers.allow, method.json()["code"]], [405, "GET, HEAD, POST", "INVALID_REQUEST"]);
  const off = await proxy.fetch("/api/apps/off/x");
  assert.deepEqual([off.status, off.headers["retry-after"]], [503, "7"]);
  assert.equal((await proxy.fetch("/api/apps/broken/x")).status, 503);
  assert.equal((await proxy.fetch("/api/apps/demo/%2e%2e/off/x")).status, 400);
});

test("problem details are sent to clients that accept them", async (t) => {
  const proxy = await scene(t).start();
  const answer = await proxy.fetch("/api/apps/nobody/x", { headers: { accept: "application/problem+json" } });
  assert.equal(answer.headers["content-type"], "application/problem+json");
  assert.deepEqual([answer.json()["status"], answer.json()["code"]], [404, "NOT_FOUND"]);
});

test("the sixth request in a minute is 429 with the exact body; each caller has its own count", async (t) => {
  const proxy = scene(t);
  const limited = route("/limited", { isPublic: false, rateLimit: perMinute(5) });
  await proxy.start(app({ url: await proxy.upstream(echo), api: { routes: [limited] } }));
  const get = (user: string) => proxy.fetch("/api/apps/demo/limited", { headers: as(user) });
  for (const remaining of ["4", "3", "2", "1", "0"]) {
    const { status, headers } = await get("alice");
    assert.deepEqual([status, headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]], [200, "5", remaining]);
    assert.ok(Math.abs(Number(headers["x-ratelimit-reset"]) - Date.now() / 1_000 - 60) < 5);
    assert.equal(headers["ratelimit-policy"], '"quota";q=5;w=60');
  }
  const refused = await get("alice");
  const details = refused.json()["details"] as Record<string, number>;
  assert.deepEqual([refused.status, refused.json()["code"]], [429, "RATE_LIMIT_EXCEEDED"]);
  assert.deepEqual([details["limit"], details["window"], Object.keys(details)], [5, 60, ["limit", "window", "retry_after"]]);
  assert.deepEqual(
    [refused.headers["x-ratelimit-remaining"], refused.headers["retry-after"]],
    ["0", String(details["retry_after"])],
  );
  assert.equal((await get("bob")).status, 200);
});

test("an unsafe signed app call is accepted once, and refused with one byte altered", async (t) => {
  const proxy = scene(t);
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  proxy.keys.set("caller", { id: "id", key: publicKey });
  proxy.authorization.grant("app:caller", "permission_scope:demo/write_notes");
  const write = route("/notes", { methods: ["POST"], isPublic: false, scopes: ["notes:write"] });
  await proxy.start(app({ url: await proxy.upstream(echo), api: { maxBodyBytes: 1_000, routes: [write] } }));
  const path = "/api/apps/demo/notes?x=1";
  const timestamp = new Date().toISOString();
  const body = JSON.stringify({ text: "hello" });
  const signature = sign("sha256", signedMessage("POST", path, timestamp, Buffer.from(body)), privateKey).toString("base64");
  const headers = {
    "x-app-name": "caller",
    "x-app-signature": signature,
    "x-request-timestamp": timestamp,
    "content-type": "application/json",
  };
  const send = (text: string) => proxy.fetch(path, { method: "POST", headers, body: text });
  assert.equal((await send(body.replace("h", "j"))).json()["code"], "AUTHENTICATION_FAILED");
  const answer = await send(body);
  const seen = answer.json() as { body: string; headers: Record<string, string> };
  assert.deepEqual(
    [answer.status, seen.body, seen.headers["x-app-name"], seen.headers["x-app-signature"]],
    [200, body, "caller", undefined],
  );
  assert.equal((await send(body)).status, 401);
  assert.equal((await send("x".repeat(1_001))).status, 413);
  const lines = await proxy.logged(4);
  assert.deepEqual(
    lines.map(({ reasonId }) => reasonId),
    ["signature_invalid", undefined, "signature_replayed", "body_too_large"],
  );
});

test("an external upstream is reached only at an allowed address, one that the platform runs at any", async (t) => {
  const proxy = scene(t);
  const url = await proxy.upstream((_, response) => response.end("inside"));
  const api = { routes: [route("/x")] };
  await proxy.start(
    app({ name: "managed", url, api }),
    app({ name: "external", url, managed: false, api }),
    app({ name: "userinfo", url: url.replace("//", "//user@"), api }),
  );
  assert.equal((await proxy.fetch("/api/apps/managed/x")).body, "inside");
  assert.equal((await proxy.fetch("/api/apps/external/x")).status, 502);
  assert.equal((await proxy.fetch("/api/apps/userinfo/x")).status, 503);
  assert.equal((await proxy.logged(3))[1]?.["reasonId"], "upstream_denied");
});

test("apps are added, changed and removed", async (t) => {
  const proxy = scene(t);
  const [one, two] = [await proxy.upstream((_, r) => r.end("one")), await proxy.upstream((_, r) => r.end("two"))];
  await proxy.start();
  const answer = async () => (await proxy.fetch("/api/apps/demo/x")).body;
  const put = (next: ProxiedApp | undefined): void => {
    if (next) proxy.apps.set("demo", next);
    else proxy.apps.delete("demo");
    proxy.proxy.refreshApp("demo");
  };
  put(app({ url: one, api: { routes: [route("/x")] } }));
  assert.equal(await answer(), "one");
  put(app({ url: two, api: { routes: [route("/x")] } }));
  assert.equal(await answer(), "two");
  put(undefined);
  assert.match(await answer(), /NOT_FOUND/);
});

test("an unexpected error is a bare 500 and is logged in full", async (t) => {
  const proxy = scene(t, {
    authenticator: { authenticate: () => Promise.reject(new Error("secret detail")), reauthentication: () => () => {} },
  });
  await proxy.start(app({ url: "http://127.0.0.1:1", api: { routes: [route("/x", { isPublic: false })] } }));
  const answer = await proxy.fetch("/api/apps/demo/x");
  assert.deepEqual([answer.status, answer.json()["code"], answer.body.includes("secret")], [500, "INTERNAL_ERROR", false]);
  assert.ok(
    proxy.logger.lines.some(({ level, fields }) => level === "error" && String(fields["err"]).includes("secret detail")),
  );
});

test("WebSockets pass on routes that allow GET, after the same checks", async (t) => {
  const proxy = scene(t);
  const seen: IncomingMessage["headers"][] = [];
  const url = await proxy.webSockets((socket, request, head) => {
    seen.push(request.headers);
    socket.write(head);
    socket.pipe(socket);
  });
  const plain = await proxy.upstream((_, response) => response.writeHead(426).end("no upgrade here"));
  const routes = [route("/ws", { isPublic: false }), route("/post", { methods: ["POST"] })];
  await proxy.start(app({ url, api: { routes } }), app({ name: "plain", url: plain, api: { routes: [route("/ws")] } }));
  const key = { "Sec-WebSocket-Key": "a2V5", "Sec-WebSocket-Version": "13" };
  const socket = handshake(proxy.port, "/api/apps/demo/ws", { ...as("alice"), ...key }, "early");
  const head = String((await once(socket, "data"))[0]);
  assert.match(head, /^HTTP\/1\.1 101 /);
  assert.deepEqual([seen[0]?.["sec-websocket-key"], seen[0]?.["x-user-id"]], ["a2V5", "alice"]);
  let echoed = head.split("\r\n\r\n")[1] ?? "";
  while (echoed.length < "early".length) echoed += String((await once(socket, "data"))[0]);
  socket.write("more");
  while (echoed.length < "earlymore".length) echoed += String((await once(socket, "data"))[0]);
  assert.equal(echoed, "earlymore");
  socket.destroy();
  await proxy.logged(1);
  const refusals = [
    ["/api/apps/demo/ws", {}, /^HTTP\/1\.1 401 /],
    ["/api/apps/demo/ws", { ...as("alice"), Origin: "https://evil.example" }, /^HTTP\/1\.1 403 /],
    ["/api/apps/demo/post", {}, /^HTTP\/1\.1 405 /],
    ["/api/apps/plain/ws", {}, /^HTTP\/1\.1 426 /],
  ] as const;
  for (const [path, headers, expected] of refusals) {
    const refused = handshake(proxy.port, path, headers);
    assert.match(String((await once(refused, "data"))[0]), expected);
    await once(refused.resume(), "close");
  }
  const lines = await proxy.logged(5);
  assert.deepEqual(
    lines.map(({ status }) => status),
    [101, 401, 403, 405, 426],
  );
});

test("stopping ends open WebSockets", async (t) => {
  const proxy = scene(t);
  const url = await proxy.webSockets();
  await proxy.start(app({ url, api: { routes: [route("/ws")] } }));
  const socket = handshake(proxy.port, "/api/apps/demo/ws");
  await once(socket, "data");
  socket.resume();
  const closed = once(socket, "close");
  await proxy.proxy.stop?.();
  await closed;
});

test("before the apps were loaded once, an unknown app is 503 and not 404", async (t) => {
  const proxy = scene(t);
  proxy.port = await listen(proxy.server);
  assert.equal((await proxy.fetch("/api/apps/demo/x")).status, 503);
  await proxy.proxy.start?.();
  assert.equal((await proxy.fetch("/api/apps/demo/x")).status, 404);
});

test("stopping does not wait for an endless stream", async (t) => {
  const proxy = scene(t);
  const url = await proxy.upstream((_, response) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders(),
  );
  await proxy.start(app({ url, api: { routes: [route("/events")] } }));
  const { request } = await import("node:http");
  const client = request({ port: proxy.port, host: "127.0.0.1", path: "/api/apps/demo/events", agent: false });
  const broken = new Promise((resolve) => client.on("response", (response) => response.on("error", resolve).resume()));
  client.on("error", () => {}).end();
  await once(client, "response");
  await proxy.proxy.stop?.();
  assert.match(String(await broken), /aborted/);
});
