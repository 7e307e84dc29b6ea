import assert from "node:assert/strict";
import { createSecretKey, randomBytes } from "node:crypto";
import { connect } from "node:net";
import { test } from "node:test";
import { parseForwardSignature } from "@appserver/contracts/forwarding";
import { HttpError, serveApp } from "@appserver/sdk";
import { app, call, echo, route, TestProxy } from "./fakes.ts";

const secret = randomBytes(32);
const forwardKey = createSecretKey(secret);
const everything = [route("/**", { methods: ["GET", "POST", "DELETE"], isPublic: false })];

/** A backend of the SDK that refuses whatever the platform did not sign. */
async function signedBackend(): Promise<{ readonly url: string; readonly port: number; stop(): Promise<void> }> {
  const backend = await serveApp({
    host: "127.0.0.1",
    port: 0,
    forwardSecret: secret.toString("base64"),
    routes: {
      "GET /": ({ caller }) => ({ json: { caller } }),
      "GET /{path...}": ({ request, caller }) => ({ json: { url: request.url, caller } }),
      "POST /notes": async ({ json, caller }) => ({ status: 201, json: { got: await json(), caller } }),
      "DELETE /notes": () => {
        throw new HttpError(410, "gone");
      },
    },
    onUpgrade: (_, socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
      socket.pipe(socket);
    },
  });
  return { url: `http://127.0.0.1:${backend.port}`, port: backend.port, stop: () => backend.stop() };
}

async function scene(t: { after(fn: () => Promise<void>): void }, base = "") {
  const backend = await signedBackend();
  t.after(() => backend.stop());
  const proxy = new TestProxy();
  t.after(() => proxy.stop());
  proxy.identity.sessions.set("s1", { userId: "alice", displayName: "Alice" });
  await proxy.start(
    app({ url: `${backend.url}${base}`, forwardKey, api: { forwardHeaders: ["x-appserver-signature"], routes: everything } }),
  );
  const headers = { cookie: "identity_session=s1" };
  return { backend, proxy, headers };
}

test("what the proxy forwards is accepted: GET, POST with a body, refusals, queries in any spelling", async (t) => {
  const { proxy, headers } = await scene(t);
  const caller = { userId: "alice" };
  const targets = [
    "/notes",
    "/notes?",
    "/notes?a=b%20c&d=%2f%2F",
    "/notes?q=a+b&q=",
    "/n%C3%B6tes/%41?%F0%9F%98%80=%00",
    "/a?b?c=d",
  ];
  for (const target of targets) {
    const answer = await proxy.fetch(`/api/apps/demo${target}`, { headers });
    assert.equal(answer.status, 200, `${target}: ${answer.body}`);
    assert.deepEqual(answer.json()["caller"], caller);
  }
  for (const base of ["", "/", "?x=%7e"])
    assert.equal((await proxy.fetch(`/api/apps/demo${base}`, { headers })).status, 200, base);
  const body = JSON.stringify({ text: "x".repeat(100_000) });
  const post = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: '{"a":1}' };
  assert.deepEqual((await proxy.fetch("/api/apps/demo/notes", post)).json(), { got: { a: 1 }, caller });
  assert.equal((await proxy.fetch("/api/apps/demo/notes", { ...post, body })).status, 201);
  assert.equal((await proxy.fetch("/api/apps/demo/notes", { method: "DELETE", headers })).status, 410);
});

test("the path of the upstream's URL is signed as well", async (t) => {
  const { proxy, headers } = await scene(t, "/inner%20path/");
  for (const target of ["", "/", "/notes?x=1"]) {
    const answer = await proxy.fetch(`/api/apps/demo${target}`, { headers });
    assert.equal(answer.status, 200, `${target}: ${answer.body}`);
  }
});

test("past the proxy the backend refuses; a caller cannot send a signature of its own", async (t) => {
  const { backend, proxy, headers } = await scene(t);
  const direct = await call(backend.port, "/notes", { headers: { "x-user-id": "admin" } });
  assert.equal(direct.status, 401);
  assert.match(direct.body, /not signed by the platform/);
  const forged = { ...headers, "x-appserver-signature": `t=1;v1=${"A".repeat(43)}=`, x_appserver_signature: "x" };
  assert.equal((await proxy.fetch("/api/apps/demo/notes", { headers: forged })).status, 200);
});

test("a WebSocket handshake is signed", async (t) => {
  const { proxy } = await scene(t);
  const socket = connect(proxy.port, "127.0.0.1");
  const head = ["GET /api/apps/demo/socket?a=%2F HTTP/1.1", "Host: h", "Connection: Upgrade", "Upgrade: websocket"];
  socket.write([...head, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Cookie: identity_session=s1", "", ""].join("\r\n"));
  const [first] = (await socket.take(1).toArray()) as Buffer[];
  assert.match(first?.toString() ?? "", /^HTTP\/1\.1 101 /);
});

test("a backend that shares no secret gets no signature; another secret takes effect at once, with the same connections", async (t) => {
  const proxy = new TestProxy();
  t.after(() => proxy.stop());
  const plain = app({ url: await proxy.upstream(echo), api: { routes: [route("/**")] } });
  await proxy.start(plain);
  const seen = async () => (await proxy.fetch("/api/apps/demo/x")).json()["headers"] as Record<string, string>;
  assert.equal((await seen())["x-appserver-signature"], undefined);
  const signatures: (string | undefined)[] = [];
  for (const key of [forwardKey, createSecretKey(randomBytes(32))]) {
    proxy.apps.set("demo", { ...plain, forwardKey: key });
    proxy.proxy.refreshApp("demo");
    signatures.push(parseForwardSignature((await seen())["x-appserver-signature"] ?? "")?.digest);
  }
  assert.equal(new Set(signatures).size, 2);
  assert.ok(signatures.every((signature) => signature !== undefined));
});
