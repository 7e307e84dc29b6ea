import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "@appserver/testing/kit";
import type { Callers, ProxyDeps } from "../src/index.ts";
import { app, handshake, listen, route, TestProxy } from "./fakes.ts";

function scene(t: TestContext, deps: Partial<ProxyDeps> = {}): TestProxy {
  const proxy = new TestProxy({ deps });
  t.after(() => proxy.stop());
  return proxy;
}

/** Identifies every caller when `ready` resolves. */
function afterwards(ready: () => Promise<unknown>): Callers {
  return {
    authenticate: async () => {
      await ready();
      return { kind: "user", id: "alice", displayName: "Alice" };
    },
    reauthentication: () => () => {},
  };
}

/** Serves the app at `url` as its generation. */
function serve(proxy: TestProxy, url: string, generation: number): void {
  const api = { routes: [route("/x", { isPublic: false }), route("/open", { methods: ["GET", "POST"] })] };
  proxy.apps.set("demo", app({ url, generation, api }));
  proxy.proxy.refreshApp("demo");
}

const answering =
  (text: string): RequestListener =>
  (request, response) => {
    request.resume();
    response.end(text);
  };

test("requests that are being authenticated during a switch are forwarded to the app that they were matched to", async (t) => {
  const entered: (() => void)[] = [];
  const callers = afterwards(() => new Promise<void>((resolve) => entered.push(resolve)));
  const proxy = scene(t, { authenticator: callers });
  const [old, next] = [await proxy.upstream(answering("old")), await proxy.upstream(answering("new"))];
  await proxy.start();
  serve(proxy, old, 1);
  const answers = Array.from({ length: 50 }, () => proxy.fetch("/api/apps/demo/x"));
  await eventually(
    () => entered.length,
    (count) => count === 50,
  );
  serve(proxy, next, 2);
  assert.deepEqual(proxy.proxy.drainState("demo"), { generation: 2, exchanges: 50, isAsleep: false });
  assert.equal((await proxy.fetch("/api/apps/demo/open")).body, "new");
  for (const resolve of entered) resolve();
  assert.deepEqual(new Set((await Promise.all(answers)).map(({ status, body }) => `${status} ${body}`)), new Set(["200 old"]));
  await proxy.logged(51);
  assert.deepEqual(proxy.proxy.drainState("demo"), { generation: 2, exchanges: 0, isAsleep: false });
});

/** Opens a connection through the proxy that stays open until `end` is called. */
const longRequests: Readonly<Record<string, (port: number) => Promise<{ end(): void }>>> = {
  "a WebSocket": async (port) => {
    const socket = handshake(port, "/api/apps/demo/open");
    const [head] = (await once(socket, "data")) as [Buffer];
    assert.match(head.toString(), /^HTTP\/1\.1 101 /);
    return { end: () => socket.destroy() };
  },
  "an event stream": async (port) => {
    const call = request({ port, host: "127.0.0.1", path: "/api/apps/demo/open", agent: false });
    call.end();
    const [response] = (await once(call, "response")) as [IncomingMessage];
    response.on("error", () => {}).resume();
    return { end: () => response.destroy() };
  },
  "an upload": async (port) => {
    const call = request({ port, host: "127.0.0.1", path: "/api/apps/demo/open", method: "POST", agent: false });
    call.write("half");
    await sleep(50);
    call.on("response", (response) => response.resume());
    return { end: () => call.end("half") };
  },
};

/** Starts an upstream with event streams and WebSockets. Returns its URL, and its open connections. */
async function streaming(t: TestContext): Promise<{ readonly url: string; readonly open: ReadonlySet<Socket> }> {
  const open = new Set<Socket>();
  const onRequest = (call: IncomingMessage, response: ServerResponse): void => {
    if (call.method === "POST") {
      call.resume().on("end", () => response.end());
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n");
  };
  const server = createServer(onRequest);
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.on("upgrade", (_, socket) => {
    socket.on("error", () => {}).on("end", () => socket.end());
    socket.resume();
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
  });
  const port = await listen(server);
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, open };
}

for (const [kind, begin] of Object.entries(longRequests)) {
  test(`${kind} keeps its upstream open over a switch, and counts until it ends`, async (t) => {
    const proxy = scene(t);
    const { url, open } = await streaming(t);
    const next = await proxy.upstream(answering("new"));
    await proxy.start();
    serve(proxy, url, 1);
    const changes: unknown[] = [];
    proxy.proxy.onDrainChange((name) => changes.push(proxy.proxy.drainState(name)));
    const running = await begin(proxy.port);
    // A client may be ready before the proxy has connected to the upstream.
    await eventually(
      () => open.size,
      (size) => size === 1,
    );
    serve(proxy, next, 2);
    assert.equal((await proxy.fetch("/api/apps/demo/open")).body, "new");
    assert.equal(open.size, 1);
    running.end();
    await eventually(
      () => open.size,
      (size) => size === 0,
    );
    assert.deepEqual(changes, [
      { generation: 2, exchanges: 1, isAsleep: false },
      { generation: 2, exchanges: 0, isAsleep: false },
    ]);
  });
}

test("a generation with the same address gets its own connections, except for external backends", async (t) => {
  const proxy = scene(t);
  const { url, open } = await streaming(t);
  await proxy.start();
  serve(proxy, url, 1);
  const first = await longRequests["an event stream"]?.(proxy.port);
  serve(proxy, url, 2);
  assert.deepEqual(proxy.proxy.drainState("demo"), { generation: 2, exchanges: 1, isAsleep: false });
  proxy.apps.set("demo", app({ url, generation: 3, managed: false }));
  proxy.proxy.refreshApp("demo");
  proxy.apps.set("demo", app({ url, generation: 4, managed: false }));
  proxy.proxy.refreshApp("demo");
  assert.deepEqual(proxy.proxy.drainState("demo"), { generation: 4, exchanges: 1, isAsleep: false });
  first?.end();
  await eventually(
    () => open.size,
    (size) => size === 0,
  );
});

test("a request of the current generation does not count, even while the app is unhealthy", async (t) => {
  const proxy = scene(t);
  const { url } = await streaming(t);
  await proxy.start();
  serve(proxy, url, 1);
  const stream = await longRequests["an event stream"]?.(proxy.port);
  proxy.apps.set("demo", app({ url, upstream: { unavailable: "unhealthy" } }));
  proxy.proxy.refreshApp("demo");
  assert.deepEqual(proxy.proxy.drainState("demo"), { generation: 1, exchanges: 0, isAsleep: false });
  serve(proxy, url, 1);
  assert.deepEqual(proxy.proxy.drainState("demo"), { generation: 1, exchanges: 0, isAsleep: false });
  stream?.end();
  assert.equal(proxy.proxy.drainState("unknown"), undefined);
});

test("pipelined requests that are not plain no longer count when the client has disconnected", async (t) => {
  const proxy = scene(t);
  const received: string[] = [];
  // The responses to the later requests wait for the first, which never comes.
  const url = await proxy.upstream((call, response) => {
    if (received.push(call.url ?? "") > 1) response.end("a response");
  });
  await proxy.start();
  serve(proxy, url, 1);
  const socket = connect(proxy.port, "127.0.0.1").on("error", () => {});
  socket.write("GET /api/apps/demo/open HTTP/1.1\r\nHost: h\r\nnot_plain: x\r\n\r\n".repeat(3));
  await eventually(
    () => received.length,
    (count) => count === 3,
  );
  serve(proxy, url, 2);
  assert.deepEqual(proxy.proxy.drainState("demo"), { generation: 2, exchanges: 3, isAsleep: false });
  socket.destroy();
  await eventually(
    () => proxy.proxy.drainState("demo"),
    (state) => state?.exchanges === 0,
  );
});
