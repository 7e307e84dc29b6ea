import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type ForwardedRequest, forwardSignature } from "@appserver/contracts/forwarding";
import { type RunningApp, serveApp } from "./serve-app.ts";

const secret = Buffer.alloc(32, 9);
const key = createSecretKey(secret);
const host = "127.0.0.1";
let app: RunningApp;

before(async () => {
  // The file that the platform writes: no option is needed.
  const folder = mkdtempSync(join(tmpdir(), "appserver-identity-"));
  writeFileSync(join(folder, "forward-secret"), secret.toString("base64"));
  process.env["APP_IDENTITY_DIR"] = folder;
  app = await serveApp({
    host,
    port: 0,
    routes: {
      "GET /who": ({ caller }) => ({ json: caller }),
      "POST /health": () => ({ json: "not a probe" }),
    },
    onUpgrade: (_, socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
  });
  rmSync(folder, { recursive: true });
});
after(() => app.stop());

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function send({ method = "GET", path, headers = {} }: Sent): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host, port: app.port, method, path, headers, agent: false });
    sent.on("error", reject);
    sent.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, body: "" });
    });
    sent.on("response", (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.end();
  });
}

function signature(request: Partial<ForwardedRequest> & { readonly target: string }, now = Date.now()): string {
  return forwardSignature(key, Math.floor(now / 1_000), { method: "GET", userId: "", appName: "", ...request });
}

test("a request past the platform is refused with the reason, whatever user it names", async () => {
  const { status, body } = await send({ path: "/who", headers: { "x-user-id": "admin" } });
  assert.equal(status, 401);
  assert.deepEqual(JSON.parse(body), {
    error: "the request is not signed by the platform: the header x-appserver-signature is missing",
  });
});

test("the platform's request is accepted; with another user it is refused, and so is one that is too old", async () => {
  const headers = { "x-user-id": "alice", "x-appserver-signature": signature({ target: "/who?x=%41", userId: "alice" }) };
  assert.deepEqual(await send({ path: "/who?x=%41", headers }), { status: 200, body: '{"userId":"alice"}' });
  assert.equal((await send({ path: "/who?x=%41", headers: { ...headers, "x-user-id": "alicf" } })).status, 401);
  assert.equal((await send({ path: "/who?x=A", headers })).status, 401);
  const old = signature({ target: "/who" }, Date.now() - 62_000);
  assert.equal((await send({ path: "/who", headers: { "x-appserver-signature": old } })).status, 401);
});

test("unknown paths and methods are refused in the same way, so that an anonymous caller learns nothing", async () => {
  for (const path of ["/none", "/who/more"]) assert.equal((await send({ path })).status, 401);
  assert.equal((await send({ method: "PATCH", path: "/who" })).status, 401);
});

test("only GET of the health path needs no signature", async () => {
  assert.equal((await send({ path: "/health" })).status, 200);
  assert.equal((await send({ method: "POST", path: "/health" })).status, 401);
  assert.equal((await send({ path: "/health/more" })).status, 401);
});

test("a WebSocket handshake needs the signature too", async () => {
  const handshake = { connection: "Upgrade", upgrade: "websocket" };
  assert.equal((await send({ path: "/socket", headers: handshake })).status, 401);
  const signed = { ...handshake, "x-appserver-signature": signature({ target: "/socket" }) };
  assert.equal((await send({ path: "/socket", headers: signed })).status, 101);
});
