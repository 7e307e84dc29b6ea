import assert from "node:assert/strict";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { test } from "node:test";
import { type Answer, addressHeader, app, listen, route, TestProxy } from "./fakes.ts";

const strangers = ["203.0.113.1", "203.0.113.2", "203.0.113.3"] as const;

function from(proxy: TestProxy, address: string, path: string): Promise<Answer> {
  return proxy.fetch(`/api/apps/demo${path}`, { headers: { [addressHeader]: address } });
}

interface Context {
  after(fn: () => unknown): void;
}

/** A backend that closes the connection, breaks its response off, or responds, as the path says. */
async function scene(t: Context): Promise<TestProxy> {
  const proxy = new TestProxy();
  t.after(() => proxy.stop());
  const url = await proxy.upstream((request, response) => {
    if (request.url === "/reset") request.socket.resetAndDestroy();
    else if (request.url === "/half") {
      response.writeHead(200, { "content-length": "100" }).write("half");
      setImmediate(() => request.socket.resetAndDestroy());
    } else if (request.url === "/busy") response.writeHead(503).end();
    else response.end("ok");
  });
  await proxy.start(app({ url, api: { routes: [route("/**"), route("/mine", { isPublic: false })] } }));
  return proxy;
}

test("connections that fail open the breaker, with one caller as well, and the response reports it", async (t) => {
  const proxy = new TestProxy();
  t.after(() => proxy.stop());
  await proxy.start(app({ url: "http://127.0.0.1:1", api: { routes: [route("/x")] } }));
  for (let i = 0; i < 5; i++) assert.equal((await from(proxy, strangers[0], "/x")).status, 502);
  const answer = await from(proxy, strangers[1], "/x");
  assert.equal(answer.status, 503);
  assert.equal((answer.json()["details"] as Record<string, unknown>)["reason"], "circuit_open");
  assert.equal(answer.headers["retry-after"], "30");
  assert.equal(proxy.proxy.breakerState("demo"), "OPEN");
  const at = new Date(proxy.circuits[0]?.at ?? assert.fail("nothing was announced"));
  const announced = { id: "0199aaaa-0000-7000-8000-000000000001", name: "demo", version: "1.0.0" };
  const opening = { reason: "5 failed connections in a row", failures: 5, requests: 5 };
  assert.deepEqual(proxy.circuits, [{ app: announced, at, opening }]);
});

test("a backend without TLS where the platform expects it counts as one without connections", async (t) => {
  const proxy = new TestProxy();
  t.after(() => proxy.stop());
  const plain = await proxy.upstream((_, response) => response.end());
  await proxy.start(app({ url: plain.replace("http:", "https:"), api: { routes: [route("/x")] } }));
  for (let i = 0; i < 5; i++) assert.equal((await from(proxy, strangers[0], "/x")).status, 502);
  assert.equal(proxy.proxy.breakerState("demo"), "OPEN");
  assert.equal((await proxy.logged(5))[0]?.["reasonId"], "upstream_unreachable");
});

test("failed requests of one stranger do not open the circuit for others", async (t) => {
  const proxy = await scene(t);
  proxy.identity.sessions.set("s1", { userId: "alice", displayName: "Alice" });
  for (const path of ["/reset", "/busy"]) {
    for (let i = 0; i < 12; i++) assert.ok((await from(proxy, strangers[0], path)).status >= 502);
  }
  assert.equal(proxy.proxy.breakerState("demo"), "CLOSED");
  const alice = await proxy.fetch("/api/apps/demo/mine", { headers: { cookie: "identity_session=s1" } });
  assert.equal(alice.status, 200);
});

test("failures of three callers open the breaker", async (t) => {
  const proxy = await scene(t);
  for (let i = 0; i < 5; i++) assert.equal((await from(proxy, strangers[i % 3] ?? "", "/reset")).status, 502);
  assert.equal((await from(proxy, "203.0.113.4", "/x")).status, 503);
});

test("addresses of one IPv6 network are one caller", async (t) => {
  const proxy = await scene(t);
  for (let i = 0; i < 12; i++) assert.equal((await from(proxy, `2001:db8::${i}`, "/reset")).status, 502);
  assert.equal(proxy.proxy.breakerState("demo"), "CLOSED");
});

test("what fails after a head below 500 is no failure of the app", async (t) => {
  const proxy = await scene(t);
  for (let i = 0; i < 12; i++) await assert.rejects(from(proxy, strangers[i % 3] ?? "", "/half"), { code: "ECONNRESET" });
  assert.equal(proxy.proxy.breakerState("demo"), "CLOSED");
});

test("a backend that refuses the headers and then resets the connection does not count as failed", async (t) => {
  const proxy = new TestProxy();
  t.after(() => proxy.stop());
  const refusing = createTcpServer((socket) => {
    socket
      .on("error", () => {})
      .once("data", () => {
        socket.write("HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n");
        setTimeout(() => socket.resetAndDestroy(), 5);
      });
  });
  t.after(() => refusing.close());
  const port = await listen(refusing as never);
  await proxy.start(app({ url: `http://127.0.0.1:${port}`, api: { routes: [route("/x")] } }));
  for (let i = 0; i < 12; i++) await from(proxy, strangers[i % 3] ?? "", "/x").catch(() => undefined);
  assert.equal(proxy.proxy.breakerState("demo"), "CLOSED");
});

test("a client that leaves before the response says nothing about the app", async (t) => {
  const proxy = new TestProxy();
  t.after(() => proxy.stop());
  const clients: Socket[] = [];
  let waiting = 0;
  const url = await proxy.upstream(() => {
    waiting += 1;
    if (waiting === clients.length) for (const client of clients) client.destroy();
  });
  await proxy.start(app({ url, api: { routes: [route("/x")] } }));
  for (const address of [...strangers, ...strangers]) {
    const socket = connect(proxy.port, "127.0.0.1").on("error", () => {});
    socket.write(`GET /api/apps/demo/x HTTP/1.1\r\nHost: h\r\n${addressHeader}: ${address}\r\n\r\n`);
    clients.push(socket);
  }
  await proxy.logged(6);
  assert.equal(proxy.proxy.breakerState("demo"), "CLOSED");
});

test("headers and target over the limit are 431 before the backend is called, and count as no failure", async (t) => {
  const proxy = new TestProxy({ deps: { maxForwardedBytes: 1_024 } });
  t.after(() => proxy.stop());
  let calls = 0;
  const url = await proxy.upstream((_, response) => {
    calls += 1;
    response.end("ok");
  });
  await proxy.start(app({ url, api: { forwardHeaders: ["x-listed"], routes: [route("/**")] } }));
  const host = `127.0.0.1:${proxy.port}`;
  // `path`, `host` and one header with its separators.
  const room = 1_024 - "/x".length - host.length - "x-listed: \r\n".length;
  const sent = (path: string, headers: Record<string, string>) =>
    proxy.fetch(`/api/apps/demo${path}`, { headers: { host, ...headers } });
  assert.equal((await sent("/x", { "x-listed": "a".repeat(room) })).status, 200);
  const unlisted = await sent("/x", { "x-listed": "a".repeat(room), "x-unlisted": "a".repeat(5_000) });
  assert.equal(unlisted.status, 200, "what the backend does not receive does not count");
  const refused = [
    await sent("/x", { "x-listed": "a".repeat(room + 1) }),
    await sent(`/x?${"q".repeat(1_024)}`, {}),
    await sent("/x", { "user-agent": "a".repeat(10_000) }),
  ];
  for (const answer of refused) {
    assert.deepEqual(
      [answer.status, answer.json()["code"], answer.json()["details"]],
      [431, "INVALID_REQUEST", { max_forwarded_bytes: 1_024 }],
    );
  }
  assert.equal(calls, 2);
  assert.equal((await proxy.logged(5)).at(-1)?.["reasonId"], "head_too_large");
});
