import assert from "node:assert/strict";
import { generateKeyPairSync, verify } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { createAppClient } from "./app-client.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const received: { request: IncomingMessage; body: string }[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    received.push({ request, body });
    if (request.url === "/silent") return;
    if (request.url === "/moved") response.writeHead(302, { location: "http://127.0.0.1:1/elsewhere" });
    response.end("{}");
  });
});
let httpUrl = "";

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  httpUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const client = (timeoutMs = 5000) => createAppClient({ httpUrl, appName: "com.example.clock", privateKey, timeoutMs });

function isSigned({ request, body }: { request: IncomingMessage; body: string }): boolean {
  const message = `${request.method}${request.url}${String(request.headers["x-request-timestamp"])}${body}`;
  const signature = Buffer.from(String(request.headers["x-app-signature"]), "base64");
  return verify("sha256", Buffer.from(message), publicKey, signature);
}

describe("app client", () => {
  test("signs method, path, query and body exactly as the server receives them", async () => {
    await client().fetch("/api/apps/com.example.notes/notes?q=a b&r=é");
    await client().fetch("/api/apps/com.example.notes/notes", { json: { text: "tea – hot" } });
    await client().fetch("/api/apps/com.example.notes/notes/1", { method: "delete" });
    assert.deepEqual(
      received.map(({ request }) => `${request.method} ${request.url}`),
      [
        "GET /api/apps/com.example.notes/notes?q=a%20b&r=%C3%A9",
        "POST /api/apps/com.example.notes/notes",
        "DELETE /api/apps/com.example.notes/notes/1",
      ],
    );
    assert.equal(received[1]?.body, '{"text":"tea – hot"}');
    assert.equal(received[1].request.headers["content-type"], "application/json");
    for (const call of received) {
      assert.equal(call.request.headers["x-app-name"], "com.example.clock");
      assert.equal(isSigned(call), true, call.request.url);
    }
  });

  test("returns redirects instead of following them, because a signature is valid for one address", async () => {
    const response = await client().fetch("/moved");
    assert.equal(response.status, 302);
  });

  test("never signs for another host", async () => {
    for (const url of ["http://127.0.0.1:1/x", "//127.0.0.1:1/x"]) {
      await assert.rejects(async () => client().fetch(url), /^RangeError: .* must be a path on the platform/);
    }
  });

  test("rejects after the timeout", async () => {
    await assert.rejects(client(50).fetch("/silent"), { name: "TimeoutError" });
  });
});
