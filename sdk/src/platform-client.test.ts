import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, verify } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { after, before, beforeEach, describe, test } from "node:test";
import { type AppManifest, AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { RegisterAppRequestSchema, RegisterAppStreamRequestSchema } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { create, fromBinary } from "@bufbuild/protobuf";
import { createPlatformClient, registerApp } from "./platform-client.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const app = { name: "com.example.app", privateKey };
const marketplace = "/appserver.v2.MarketplaceService";

/** Records the bytes on the wire and responds to every call with an empty message. */
const server = createServer();
const sessions = new Set<ServerHttp2Session>();
let received: Received[] = [];
let grpcUrl = "";

server.on("session", (session) => sessions.add(session));
server.on("stream", (stream, headers) => {
  void buffer(stream).then((body) => {
    received.push({ headers, body });
    stream.respond({ ":status": 200, "content-type": "application/grpc+proto" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(Buffer.alloc(5));
  });
});

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  grpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  received = [];
});
after(() => {
  for (const session of sessions) session.close();
  server.close();
});

/** Returns the gRPC messages of a body. Each has a prefix of one byte of flags and four bytes of length. */
function messagesOf(body: Buffer): Uint8Array[] {
  const messages: Uint8Array[] = [];
  for (let at = 0; at < body.length; ) {
    assert.equal(body[at], 0, "not compressed");
    const end = at + 5 + body.readUInt32BE(at + 1);
    messages.push(new Uint8Array(body.subarray(at + 5, end)));
    at = end;
  }
  return messages;
}

function isSigned({ headers }: Received, message: Uint8Array): boolean {
  const head = Buffer.from(`POST${headers[":path"]}${headers["x-request-timestamp"]}`);
  const signature = Buffer.from(String(headers["x-app-signature"]), "base64");
  return verify("sha256", Buffer.concat([head, message]), publicKey, signature);
}

function manifestOf(sizes: readonly number[]): AppManifest {
  const assets = sizes.map((size, index) => ({ name: `${index}.js`, contents: new Uint8Array(size).fill(index + 1) }));
  const navigation = [{ title: "A", href: "/a", metadata: { z: "1", a: "2" } }];
  return create(AppManifestSchema, { name: app.name, webApp: { assets, ui: { navigation } } });
}

describe("platform client", () => {
  test("signs exactly the bytes of a unary call", async () => {
    const { marketplace: client } = createPlatformClient({ grpcUrl, app });
    await client.validateManifest({ manifest: manifestOf([1000]) });
    const [call] = received;
    assert.ok(call);
    const [message = new Uint8Array(0), ...more] = messagesOf(call.body);
    assert.equal(call.headers[":path"], `${marketplace}/ValidateManifest`);
    assert.equal(call.headers["x-app-name"], app.name);
    assert.equal(more.length, 0);
    assert.ok(message.length > 1000);
    assert.equal(isSigned(call, message), true);
    message[message.length - 1] = (message.at(-1) ?? 0) ^ 1;
    assert.equal(isSigned(call, message), false);
  });

  test("sends a user's token, and does not sign without an app", async () => {
    await createPlatformClient({ grpcUrl, token: "secret" }).marketplace.getApp({ name: "a" });
    assert.equal(received[0]?.headers["authorization"], "Bearer secret");
    assert.equal(received[0].headers["x-app-signature"], undefined);
  });

  test("sends a deadline with a call, and none with a stream that may wait for long", async () => {
    const { marketplace: client, settings } = createPlatformClient({ grpcUrl, timeoutMs: 20_000 });
    await client.getApp({ name: "a" });
    for await (const _ of settings.watchSettings({ appId: "a" }));
    await registerApp({ marketplace: client }, { manifest: manifestOf([2 * 1024 * 1024]), signature: new Uint8Array(1) });
    await client.getApp({ name: "a" }, { timeoutMs: 1_000 });
    assert.deepEqual(
      received.map(({ headers }) => headers["grpc-timeout"]),
      ["20000m", undefined, undefined, "1000m"],
    );
  });
});

describe("registerApp", () => {
  const signature = new Uint8Array([1, 2, 3]);

  test("sends small manifests in one message", async () => {
    const manifest = manifestOf([10, 20]);
    await registerApp(createPlatformClient({ grpcUrl }), { manifest, signature }, "token");
    const request = fromBinary(
      RegisterAppRequestSchema,
      messagesOf(received[0]?.body ?? Buffer.alloc(0))[0] ?? Buffer.alloc(0),
    );
    assert.equal(received[0]?.headers[":path"], `${marketplace}/RegisterApp`);
    assert.deepEqual(request.manifest, manifest);
    assert.deepEqual([request.token, request.manifestSignature], ["token", signature]);
  });

  test("streams large manifests: the header without contents, then all bytes in order, signed over an empty body", async () => {
    const manifest = manifestOf([3 * 1024 * 1024, 0, 1024 * 1024 + 7]);
    await registerApp(createPlatformClient({ grpcUrl, app }), { manifest, signature });
    const [call] = received;
    assert.ok(call);
    assert.equal(call.headers[":path"], `${marketplace}/RegisterAppStream`);
    assert.equal(isSigned(call, new Uint8Array(0)), true);
    const parts = messagesOf(call.body).map((message) => fromBinary(RegisterAppStreamRequestSchema, message).part);
    const [header, ...chunks] = parts;
    assert.equal(header?.case, "header");
    assert.deepEqual(header.value.manifestSignature, signature);
    assert.deepEqual(
      header.value.manifest?.webApp?.assets.map(({ name, contents }) => [name, contents.length]),
      [
        ["0.js", 0],
        ["1.js", 0],
        ["2.js", 0],
      ],
    );
    assert.deepEqual(header.value.manifest.webApp.ui?.navigation[0]?.metadata, { z: "1", a: "2" });
    for (const { name, contents } of manifest.webApp?.assets ?? []) {
      const hash = createHash("sha256");
      for (const chunk of chunks) if (chunk.case === "chunk" && chunk.value.name === name) hash.update(chunk.value.data);
      assert.equal(hash.digest("hex"), createHash("sha256").update(contents).digest("hex"), name);
    }
  });
});
