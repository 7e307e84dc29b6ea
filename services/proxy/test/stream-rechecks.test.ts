import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { type TestContext, test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { app, handshake, listen, route, TestProxy } from "./fakes.ts";

const scope = { scopes: ["notes:read"], isPublic: false };
const object = "permission_scope:demo/read_notes";

/** Starts an app whose WebSockets and event streams never end on their own, and a user `alice` who may open both. */
async function scene(t: TestContext): Promise<TestProxy> {
  const proxy = new TestProxy();
  const upstream = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n");
  }).on("upgrade", (_, socket) => {
    socket.on("error", () => {});
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
  });
  const url = `http://127.0.0.1:${await listen(upstream)}`;
  t.after(async () => {
    await proxy.stop();
    upstream.closeAllConnections();
    upstream.close();
  });
  proxy.identity.sessions.set("token", { userId: "alice", displayName: "Alice" });
  proxy.authorization.grant("user:alice", object);
  return proxy.start(app({ url, api: { routes: [route("/live", scope), route("/open")] } }));
}

/** Opens a connection. Resolves when it is open, with a promise of its end. */
const open = {
  WebSocket: async (port: number, path: string): Promise<{ readonly ended: Promise<unknown> }> => {
    const socket = handshake(port, `/api/apps/demo${path}`, { Authorization: "Bearer token" });
    const [head] = (await once(socket, "data")) as [Buffer];
    assert.match(head.toString(), /^HTTP\/1\.1 101 /);
    return { ended: once(socket, "close") };
  },
  "event stream": async (port: number, path: string): Promise<{ readonly ended: Promise<unknown> }> => {
    const headers = { authorization: "Bearer token" };
    const call = request({ port, host: "127.0.0.1", path: `/api/apps/demo${path}`, headers, agent: false });
    call.end();
    const [response] = (await once(call, "response")) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    response.on("error", () => {}).resume();
    return { ended: new Promise((resolve) => response.once("close", resolve)) };
  },
};

const losses: Readonly<Record<string, (proxy: TestProxy) => unknown>> = {
  "its session ended": (proxy) => proxy.identity.sessions.delete("token"),
  "its permission was revoked": (proxy) => {
    proxy.authorization.tuples.clear();
    return proxy.permissions.invalidate("user:alice");
  },
  "the app was disabled": (proxy) => {
    for (const each of proxy.apps.values()) proxy.apps.set(each.name, { ...each, upstream: { unavailable: "disabled" } });
    proxy.proxy.refreshApp("demo");
  },
  "the app was uninstalled": (proxy) => {
    proxy.apps.clear();
    proxy.proxy.refreshApp("demo");
  },
};

for (const kind of ["WebSocket", "event stream"] as const) {
  for (const [what, lose] of Object.entries(losses)) {
    test(`an open ${kind} ends after ${what}, and not before`, async (t) => {
      const proxy = await scene(t);
      const { ended } = await open[kind](proxy.port, "/live");
      let isOpen = true;
      void ended.then(() => {
        isOpen = false;
      });
      proxy.connections.recheck(() => true);
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal(isOpen, true);
      await lose(proxy);
      proxy.connections.recheck(() => true);
      await ended;
    });
  }

  test(`an open ${kind} of a public route stays open after the session ends, and ends when the app is uninstalled`, async (t) => {
    const proxy = await scene(t);
    const { ended } = await open[kind](proxy.port, "/open");
    proxy.identity.sessions.clear();
    proxy.connections.recheck(() => true);
    await new Promise((resolve) => setTimeout(resolve, 50));
    proxy.apps.clear();
    proxy.proxy.refreshApp("demo");
    proxy.connections.recheck(({ app: name }) => name === "demo");
    await ended;
  });

  test(`an open ${kind} stays open while the app is unhealthy`, async (t) => {
    const proxy = await scene(t);
    const { ended } = await open[kind](proxy.port, "/live");
    const demo = proxy.apps.get("demo");
    assert.ok(demo);
    proxy.apps.set("demo", { ...demo, upstream: { unavailable: "unhealthy" } });
    proxy.proxy.refreshApp("demo");
    proxy.connections.recheck(() => true);
    const first = await Promise.race([ended.then(() => "ended"), new Promise((resolve) => setTimeout(resolve, 50, "open"))]);
    assert.equal(first, "open");
  });
}

test("an upload ends when its session ended", async (t) => {
  const clock = new FakeClock();
  const proxy = new TestProxy({ clock });
  t.after(() => proxy.stop());
  proxy.identity.sessions.set("token", { userId: "alice", displayName: "Alice" });
  const arrived: (() => void)[] = [];
  const url = await proxy.upstream((incoming) => incoming.on("data", () => arrived.shift()?.()).on("error", () => {}));
  await proxy.start(app({ url, api: { routes: [route("/files", { isPublic: false, methods: ["POST"] })] } }));
  const headers = { authorization: "Bearer token" };
  const path = "/api/apps/demo/files";
  const upload = request({ port: proxy.port, host: "127.0.0.1", path, method: "POST", headers, agent: false });
  const refused = once(upload, "response") as Promise<[IncomingMessage]>;
  const part = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    arrived.push(resolve);
    upload.write("part");
    await promise;
  };
  await part();
  await clock.advance(31_000);
  await part();
  proxy.identity.sessions.delete("token");
  proxy.connections.recheck(() => true);
  const [response] = await refused;
  assert.equal(response.statusCode, 401);
  upload.on("error", () => {}).destroy();
});
