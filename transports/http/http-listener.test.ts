import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type IncomingHttpHeaders } from "node:http2";
import { connect as connectTcp } from "node:net";
import { after, before, describe, test } from "node:test";
import { AppError, SystemClock } from "@appserver/kernel";
import { WebSocket } from "ws";
import { Echo, send, started } from "../test/http-listener-fixture.ts";
import { sha256, uiWithScript } from "../test/script-asset.ts";
import { HealthChecks, type HttpListener, PortInUseError } from "./index.ts";

const clock = new SystemClock();

/** What Chromium sends with a form of the page itself whose `Referrer-Policy` is `no-referrer`. */
const formHeaders = {
  "content-type": "application/x-www-form-urlencoded",
  origin: "null",
  "sec-fetch-site": "same-origin",
  "sec-fetch-mode": "navigate",
  "sec-fetch-user": "?1",
  "sec-fetch-dest": "document",
};

describe("HTTP listener", () => {
  let listener: HttpListener;
  before(async () => {
    const devLogin = {
      loginPage: () => "<!doctype html><form method=post><input name=user></form>",
      login: (user: string) => {
        if (user !== "alice") throw new AppError("AUTHENTICATION_FAILED", "no such user");
        return { token: "t0k;n", cookie: "identity_session" };
      },
    };
    listener = await started({ ui: uiWithScript().http, proxy: new Echo(), devLogin, trustedProxies: ["127.0.0.0/8"] });
  });
  after(() => listener.stop());

  test("health reports that the process runs", async () => {
    for (const path of ["/health", "/health/live"]) {
      const { status, text } = await send(listener, path);
      const { status: word, uptime } = JSON.parse(text);
      assert.deepEqual([status, word, typeof uptime], [200, "ok", "number"]);
    }
    assert.deepEqual(JSON.parse((await send(listener, "/ready")).text), { status: "ready", checks: {} });
  });

  test("a valid request id is kept, another is replaced", async () => {
    const kept = await send(listener, "/health", { headers: { "x-request-id": "abc.DEF_1-2" } });
    assert.equal(kept.headers["x-request-id"], "abc.DEF_1-2");
    for (const id of ["a b", "x".repeat(65), "<script>"]) {
      const { headers } = await send(listener, "/health", { headers: { "x-request-id": id } });
      assert.match(String(headers["x-request-id"]), /^[0-9a-f-]{36}$/);
    }
  });

  test("Expect: 100-continue is confirmed by the proxy when it needs the body, and at once for other paths", async () => {
    const { port } = listener.address();
    const answers = async (path: string): Promise<string> => {
      const socket = connectTcp(port, "127.0.0.1");
      const lines = ["Host: h", "Expect: 100-continue", "Content-Type: application/json", "Content-Length: 2"];
      socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      const [first] = (await once(socket, "data")) as [Buffer];
      socket.destroy();
      return first.toString().slice(0, "HTTP/1.1 100".length);
    };
    assert.equal(await answers("/api/apps/demo/fail"), "HTTP/1.1 502");
    assert.equal(await answers("/graphql"), "HTTP/1.1 100");
  });

  test("unknown paths are 404, known paths with another method 405 with Allow", async () => {
    const missing = await send(listener, "/nowhere");
    assert.equal(missing.status, 404);
    assert.deepEqual(JSON.parse(missing.text), { error: "no route has this path", code: "NOT_FOUND", details: {} });
    const wrong = await send(listener, "/health", { method: "DELETE" });
    assert.deepEqual([wrong.status, wrong.headers.allow], [405, "GET, HEAD, OPTIONS"]);
    assert.equal(JSON.parse(wrong.text).code, "INVALID_REQUEST");
    const options = await send(listener, "/dev/login", { method: "OPTIONS" });
    assert.deepEqual([options.status, options.headers.allow], [204, "GET, HEAD, POST, OPTIONS"]);
  });

  test("clients that accept problem+json receive it", async () => {
    const { headers, text } = await send(listener, "/nowhere", { headers: { accept: "application/problem+json" } });
    assert.equal(headers["content-type"], "application/problem+json");
    const expected = {
      type: "about:blank",
      title: "Not Found",
      status: 404,
      detail: "no route has this path",
      code: "NOT_FOUND",
      details: {},
    };
    assert.deepEqual(JSON.parse(text), expected);
  });

  test("a page of another origin cannot log in a user, not even a visitor without a session", async () => {
    for (const page of [
      { origin: "null" },
      { origin: "https://evil.example" },
      { ...formHeaders, "sec-fetch-site": "cross-site" },
      { ...formHeaders, "sec-fetch-site": "same-site" },
    ]) {
      const headers = { "content-type": "application/x-www-form-urlencoded", ...page };
      const { status, headers: answered } = await send(listener, "/dev/login", { method: "POST", headers }, "user=alice");
      assert.deepEqual([status, answered["set-cookie"]], [403, undefined], JSON.stringify(page));
    }
  });

  test("the form of the login signs in as browsers send it, with and without a referrer", async () => {
    const page = await send(listener, "/dev/login");
    assert.equal(page.headers["referrer-policy"], "same-origin");
    const { host, port } = listener.address();
    // Browsers send `Origin: null` for a page with `Referrer-Policy: no-referrer`.
    for (const origin of ["null", `http://${host}:${port}`]) {
      const headers = { ...formHeaders, origin };
      const { status, headers: answered } = await send(listener, "/dev/login", { method: "POST", headers }, "user=alice");
      assert.deepEqual([status, answered.location], [303, "/"], origin);
      assert.match(String(answered["set-cookie"]), /^identity_session=/, origin);
    }
  });

  test("a file of an app is never served as a service worker", async () => {
    const asset = `/apps/com.example.notes/assets/js/main.js?v=${sha256.slice(0, 16)}`;
    for (const path of [asset, "/assets/0199/js/main.js", "/api/apps/a/worker.js"]) {
      for (const headers of [{ "service-worker": "script" }, { "sec-fetch-dest": "serviceworker" }]) {
        const { status, text } = await send(listener, path, { headers });
        assert.deepEqual([status, JSON.parse(text).code], [403, "PERMISSION_DENIED"], path);
      }
      assert.equal((await send(listener, path, { headers: { "sec-fetch-dest": "script" } })).status, 200, path);
    }
  });

  test("the proxy receives the raw request of any method, with its body unread", async () => {
    for (const method of ["GET", "POST", "PATCH", "PROPFIND", "DELETE"]) {
      const options = {
        method,
        headers: {
          "x-request-id": "r1",
          "x-forwarded-for": "6.6.6.6, 203.0.113.9",
          "content-type": "nonsense",
          "content-length": method === "GET" ? 0 : 9,
        },
      };
      const { text } = await send(listener, "/api/apps/a/b%20c?d=e", options, method === "GET" ? undefined : "{not json");
      const expected = { method, url: "/api/apps/a/b%20c?d=e", body: method === "GET" ? "" : "{not json", requestId: "r1" };
      assert.deepEqual(JSON.parse(text), { ...expected, remoteAddress: "203.0.113.9" });
    }
  });

  test("errors of the proxy are mapped once, unexpected ones without details", async () => {
    const upstream = await send(listener, "/api/apps/a/fail");
    assert.deepEqual([upstream.status, JSON.parse(upstream.text).code], [502, "UPSTREAM_ERROR"]);
    const limited = await send(listener, "/api/apps/a/limited");
    assert.deepEqual([limited.status, limited.headers["retry-after"]], [429, "7"]);
    const crash = await send(listener, "/api/apps/a/crash");
    assert.deepEqual(JSON.parse(crash.text), { error: "internal error", code: "INTERNAL_ERROR", details: {} });
  });

  test("malformed targets, bodies and media types are refused with the same error format", async () => {
    const json = { "content-type": "application/json" };
    const refusals = await Promise.all([
      send(listener, "/assets/%zz"),
      send(listener, "/dev/login", { method: "POST", headers: json }, "{"),
      send(listener, "/dev/login", { method: "POST", headers: json }, JSON.stringify({ user: "x".repeat(2_000_000) })),
      send(listener, "/dev/login", { method: "POST", headers: { "content-type": "text/plain" } }, "alice"),
      send(listener, "/dev/login", { method: "POST", headers: json }, "{}"),
    ]);
    assert.deepEqual(
      refusals.map(({ status }) => status),
      [400, 400, 413, 415, 400],
    );
    for (const { text } of refusals) assert.equal(JSON.parse(text).code, "INVALID_REQUEST");
  });

  test("headers beyond 1 MiB are refused with 431, smaller ones pass", async () => {
    const big = { "x-big": "a".repeat(1_000_000) };
    assert.equal((await send(listener, "/health", { headers: big })).status, 200);
    const over = await send(listener, "/health", { headers: { ...big, "x-more": "a".repeat(100_000) } });
    assert.equal(over.status, 431);
    assert.equal(JSON.parse(over.text).code, "INVALID_REQUEST");
  });

  test("login sets the session cookie, by JSON and by form", async () => {
    const body = JSON.stringify({ user: "alice" });
    const json = await send(listener, "/dev/login", { method: "POST", headers: { "content-type": "application/json" } }, body);
    assert.deepEqual(json.headers["set-cookie"], ["identity_session=t0k%3Bn; HttpOnly; SameSite=Lax; Path=/"]);
    assert.deepEqual(JSON.parse(json.text), { user: "alice", cookie: "identity_session", token: "t0k;n" });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const form = await send(listener, "/dev/login", { method: "POST", headers }, "user=alice");
    assert.deepEqual([form.status, form.headers.location], [303, "/"]);
    const unknown = await send(listener, "/dev/login", { method: "POST", headers }, "user=eve");
    assert.equal(unknown.status, 401);
    const page = await send(listener, "/dev/login");
    assert.match(String(page.headers["content-security-policy"]), /default-src 'none'.*; style-src 'self'; img-src 'self'$/);
  });

  test("pages of other origins: allowed ones may send requests, others may not change anything with cookies", async () => {
    const preflight = {
      method: "OPTIONS",
      headers: { origin: "https://console.example.com", "access-control-request-method": "PUT" },
    };
    const allowed = await send(listener, "/api/apps/a/b", preflight);
    assert.deepEqual([allowed.status, allowed.headers["access-control-allow-methods"]], [204, "PUT"]);
    assert.equal(allowed.headers["access-control-allow-credentials"], "true");
    const foreign = { ...preflight, headers: { ...preflight.headers, origin: "https://evil.example" } };
    const refused = await send(listener, "/api/apps/a/b", foreign);
    assert.deepEqual([refused.status, refused.headers["access-control-allow-origin"]], [403, undefined]);
    const cookie = "identity_session=abc";
    for (const page of [{ origin: "https://evil.example" }, { origin: "null" }, { "sec-fetch-site": "cross-site" }]) {
      const forged = await send(listener, "/api/apps/a/b", { method: "POST", headers: { ...page, cookie } });
      assert.equal(forged.status, 403);
    }
    const { host, port } = listener.address();
    const own = await send(listener, "/api/apps/a/b", {
      method: "POST",
      headers: { origin: `http://${host}:${port}`, cookie },
    });
    assert.equal(own.status, 200);
  });

  test("the root page lists the available paths, without scripts", async () => {
    const { headers, text } = await send(listener, "/");
    assert.match(String(headers["content-security-policy"]), /default-src 'none'.*; style-src 'self'; img-src 'self'$/);
    assert.match(text, /\/dev\/login/);
  });

  test("HTTP/2 without TLS shares the port, with the preface in one piece or byte by byte", async () => {
    const { host, port } = listener.address();
    const session = connect(`http://${host}:${port}`);
    const stream = session.request({ ":method": "POST", ":path": "/api/apps/a/b" });
    stream.end("hello");
    const [headers] = (await once(stream, "response")) as [IncomingHttpHeaders];
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    assert.equal(headers[":status"], 200);
    assert.equal(JSON.parse(Buffer.concat(chunks).toString()).body, "hello");
    assert.equal(session.remoteSettings.maxConcurrentStreams, 100);
    session.close();

    const socket = connectTcp(port, host);
    await once(socket, "connect");
    socket.setNoDelay(true);
    for (const byte of "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") {
      socket.write(byte);
      await clock.sleep(1);
    }
    socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
    const [settings] = (await once(socket, "data")) as [Buffer];
    assert.equal(settings[3], 4, "the response is a SETTINGS frame");
    socket.destroy();
  });

  test("with HTTP/2 turned off, its preface is a bad request, and HTTP/1.1 still works", async () => {
    const older = await started({ http2: false });
    const { host, port } = older.address();
    const socket = connectTcp(port, host);
    socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    const [answer] = (await once(socket, "data")) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 400 /);
    assert.equal((await send(older, "/health")).status, 200);
    await older.stop();
  });

  test("an offer of h2c by Upgrade gets an HTTP/1.1 response", async () => {
    const headers = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "" };
    assert.equal((await send(listener, "/health", { headers })).status, 200);
  });

  test("a page of an allowed origin can read the headers that the platform documents", async () => {
    const { headers } = await send(listener, "/health", { headers: { origin: "https://console.example.com" } });
    const exposed = String(headers["access-control-expose-headers"]).split(", ");
    for (const name of ["RateLimit", "RateLimit-Policy", "Link", "Idempotency-Replayed", "ETag", "X-Request-ID"])
      assert.ok(exposed.includes(name), name);
  });

  test("any offer but that of a GET to websocket is ignored, and the request handled as an ordinary one", async () => {
    for (const [method, upgrade, body] of [
      ["GET", "h2c", undefined],
      ["GET", "foo", undefined],
      ["GET", "websocket, foo", undefined],
      ["POST", "websocket", "text"],
    ] as const) {
      const headers = { connection: "Upgrade", upgrade, ...(body && { "content-length": body.length }) };
      const { status, text } = await send(listener, "/api/apps/a/b", { method, headers }, body);
      assert.deepEqual([status, JSON.parse(text).body], [200, body ?? ""], `${method} ${upgrade}`);
    }
  });

  test("a refused WebSocket gets the id of its request", async () => {
    const headers = { connection: "Upgrade", upgrade: "websocket", "x-request-id": "r-1" };
    const refused = await send(listener, "/nowhere", { headers });
    assert.deepEqual([refused.status, refused.headers["x-request-id"]], [404, "r-1"]);
  });

  test("WebSockets reach the proxy; elsewhere they are 404", async () => {
    const { host, port } = listener.address();
    const socket = new WebSocket(`ws://${host}:${port}/api/apps/a/live`);
    await once(socket, "open");
    socket.send("hi");
    assert.equal(String((await once(socket, "message"))[0]), "hi");
    socket.terminate();
    const lost = new WebSocket(`ws://${host}:${port}/nowhere`);
    const [error] = (await once(lost, "error")) as [Error];
    assert.match(error.message, /404/);
  });

  test("a port in use is reported in one clear sentence", async () => {
    const { port } = listener.address();
    const expected = `Port ${port} on 127.0.0.1 is in use: stop what listens there, or choose another with APPSERVER_HTTP_PORT.`;
    await assert.rejects(started({ port }), (error) => error instanceof PortInUseError && error.message === expected);
  });
});

test("readiness distinguishes critical from degraded", async () => {
  const failing = { check: () => Promise.reject(new Error("refused")) };
  const database = { name: "database", critical: true, check: async () => {} };
  const degraded = await started({
    health: new HealthChecks({ checks: [database, { name: "broker", critical: false, ...failing }], clock, version: "0" }),
  });
  const answer = await send(degraded, "/ready");
  const { status, checks } = JSON.parse(answer.text);
  assert.deepEqual([answer.status, status, checks.database.status, checks.broker.status], [200, "degraded", "up", "down"]);
  await degraded.stop();
  const broken = await started({
    health: new HealthChecks({ checks: [{ ...database, ...failing }], clock, version: "0" }),
  });
  const refused = await send(broken, "/health/ready");
  assert.deepEqual([refused.status, JSON.parse(refused.text).status], [503, "not_ready"]);
  await broken.stop();
});

test("before the handlers are set, their paths and WebSockets are 503; afterwards they are served", async (context) => {
  const listener = await started({ startsEarly: true });
  context.after(() => listener.stop());
  const { host, port } = listener.address();
  const paths = ["/api/apps/a/b", "/graphql", "/api/v2/settings", "/apps/com.example.notes/assets/js/main.js"];
  for (const path of paths) {
    const { status, text } = await send(listener, path);
    assert.deepEqual([status, JSON.parse(text).details.reason], [503, "starting"], path);
  }
  const refused = new WebSocket(`ws://${host}:${port}/api/apps/a/live`);
  await assert.rejects(once(refused, "open"), /503/);
  const echo = new Echo();
  const calls = { handle: () => {}, drain: async () => {} };
  const handlers = {
    proxy: echo,
    graphql: echo.graphql,
    rest: echo.rest,
    mcp: echo.rest,
    calls,
    browserSession: () => undefined,
    tokenExchange: undefined as never,
    deviceLogins: {} as never,
    agentSignIn: {} as never,
  };
  listener.serve({
    pages: { covers: () => false, unserved: () => undefined, mayReadLogs: () => false, originApps: () => [] },
    ui: uiWithScript().http,
    ...handlers,
  });
  for (const path of paths) assert.equal((await send(listener, path)).status, 200, path);
  const socket = new WebSocket(`ws://${host}:${port}/api/apps/a/live`);
  await once(socket, "open");
});

test("only allowed hosts are served if callers need no login", async () => {
  const listener = await started({ allowedHosts: ["127.0.0.1"], proxy: new Echo() });
  assert.equal((await send(listener, "/health")).status, 200);
  assert.equal((await send(listener, "/health", { headers: { host: "rebound.example" } })).status, 400);
  await listener.stop();
});

test("a client that sends no headers is disconnected", async () => {
  const listener = await started({ limits: { headersTimeoutMs: 50 } });
  const { host, port } = listener.address();
  const socket = connectTcp(port, host);
  await once(socket, "close");
  await listener.stop();
});
