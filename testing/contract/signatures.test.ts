import assert from "node:assert/strict";
import { randomBytes, sign } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { canonicalManifest } from "@appserver/contracts/manifest";
import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import { type AppManifest, AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { type AppKeys, approvePermissions, ensureAppKeys, type PlatformClient, signRequest } from "@appserver/sdk";
import { type PlatformUnderTest, startPlatform, uniqueName, untilRouted } from "@appserver/testing/kit";
import { create } from "@bufbuild/protobuf";
import { WebSocket } from "ws";

const shop = uniqueName("com.example.shop");
const robot = uniqueName("com.example.robot");

describe("app signatures: robot orders at the shop", () => {
  let platform: PlatformUnderTest;
  let client: PlatformClient;
  let upstream: Server;
  let folder: string;
  let keys: AppKeys;
  const orders: string[] = [];

  before(async () => {
    platform = await startPlatform();
    client = platform.client();
    folder = await mkdtemp(join(tmpdir(), "appserver-contract-"));
    upstream = createServer((request, response) => {
      request.resume().on("end", () => {
        orders.push(String(request.headers["x-app-name"]));
        response.end("{}");
      });
    }).listen(0, "127.0.0.1");
    upstream.on("upgrade", (_, socket) => {
      socket.on("error", () => {});
      socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    });
    await new Promise((listening) => upstream.once("listening", listening));
    const { port } = upstream.address() as AddressInfo;
    const api = {
      basePath: "/",
      upstreamBaseUrl: `http://127.0.0.1:${port}`,
      routes: [
        { pattern: "/orders", methods: ["POST"], scopes: ["orders:write"] },
        { pattern: "/orders", methods: ["GET"], scopes: ["orders:read"] },
      ],
    };
    await install(create(AppManifestSchema, { name: shop, version: "1.0.0", webApp: { api } }));
    const requiredPermissions = ["orders:read", "orders:write"].map((scope) => ({
      scope,
      resourceType: shop,
      reason: "orders",
    }));
    keys = await install(
      create(AppManifestSchema, {
        name: robot,
        version: "1.0.0",
        webApp: { api: { ...api, routes: [] } },
        requiredPermissions,
      }),
    );
  });

  after(async () => {
    await platform.stop();
    upstream.close();
    await rm(folder, { recursive: true });
  });

  async function install(manifest: AppManifest): Promise<AppKeys> {
    const made = await ensureAppKeys(join(folder, manifest.name), manifest.name);
    manifest.certificate = new TextEncoder().encode(made.certificate);
    const signature = new Uint8Array(sign("sha256", canonicalManifest(manifest), made.privateKey));
    await platform.register({ manifest, signature });
    await approvePermissions(client, manifest.name);
    const { app } = await client.marketplace.installApp({ name: manifest.name });
    assert.equal(app?.state, AppState.RUNNING);
    await untilRouted(platform.httpUrl, manifest.name, "/orders");
    return made;
  }

  const path = `/api/apps/${shop}/orders`;
  interface Call {
    readonly method?: string;
    readonly body?: string;
    readonly at?: Date;
    readonly appName?: string;
    readonly sentPath?: string;
    readonly sentBody?: string;
    readonly headers?: Record<string, string>;
  }
  const headersOf = ({ method = "POST", body = "{}", at, appName = robot }: Call): Record<string, string> =>
    signRequest({
      appName,
      privateKey: keys.privateKey,
      method,
      url: path,
      body: new TextEncoder().encode(method === "GET" ? "" : body),
      ...(at ? { at } : {}),
    });
  const send = async (call: Call): Promise<number> => {
    const { method = "POST", body = "{}" } = call;
    const response = await fetch(platform.httpUrl + (call.sentPath ?? path), {
      method,
      headers: call.headers ?? headersOf(call),
      ...(method === "GET" ? {} : { body: call.sentBody ?? body }),
    });
    await response.body?.cancel();
    return response.status;
  };

  test("a signed call passes, and the upstream receives the caller", async () => {
    assert.equal(await send({ method: "GET" }), 200);
    assert.equal(await send({}), 200);
    assert.equal(orders.at(-1), robot);
  });

  test("the same POST again is 401; an identical GET may be repeated", async () => {
    const call = { body: `{"n":1}` };
    const headers = headersOf(call);
    assert.equal(await send({ ...call, headers }), 200);
    const before = orders.length;
    assert.equal(await send({ ...call, headers }), 401);
    assert.equal(orders.length, before);
    const reading = headersOf({ method: "GET" });
    assert.deepEqual(
      [await send({ method: "GET", headers: reading }), await send({ method: "GET", headers: reading })],
      [200, 200],
    );
  });

  test("one byte altered in body, path, method, timestamp or signature is 401", async () => {
    const headers = headersOf({});
    const signature = headers["x-app-signature"] ?? "";
    const flipped = (signature.startsWith("A") ? "B" : "A") + signature.slice(1);
    const timestamp = (headers["x-request-timestamp"] ?? "").replace(/\d(?=Z)/, (digit) => String((Number(digit) + 1) % 10));
    const statuses = [
      await send({ headers, sentBody: "{ }" }),
      await send({ headers, sentPath: `${path}?x` }),
      await send({ method: "GET", headers }),
      await send({ headers: { ...headers, "x-request-timestamp": timestamp } }),
      await send({ headers: { ...headers, "x-app-signature": flipped } }),
    ];
    assert.deepEqual(statuses, [401, 401, 401, 401, 401]);
  });

  test("timestamps: at most five minutes back and thirty seconds ahead", async () => {
    const at = (seconds: number) => send({ method: "GET", at: new Date(Date.now() + seconds * 1000) });
    assert.deepEqual([await at(-290), await at(-310), await at(25), await at(40)], [200, 401, 200, 401]);
  });

  test("an unknown app and a bad signature return the same response", async () => {
    const answer = async (appName: string) => {
      const response = await fetch(platform.httpUrl + path, {
        headers: { ...headersOf({ method: "GET" }), "x-app-name": appName },
      });
      return [response.status, await response.json()];
    };
    assert.deepEqual(await answer("com.example.nobody"), await answer(shop));
  });

  /** Returns the status of a WebSocket handshake with these headers. */
  const handshake = (headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const socket = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
      const key = { "sec-websocket-key": randomBytes(16).toString("base64") };
      const request = httpRequest(platform.httpUrl + path, { headers: { ...headers, ...socket, ...key } });
      request.once("upgrade", (response, opened) => {
        opened.destroy();
        resolve(response.statusCode ?? 0);
      });
      request.once("response", (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      request.once("error", reject).end();
    });

  test("a signed handshake opens one WebSocket, and the signature of a plain GET opens none", async () => {
    const opening = headersOf({ method: "GET" });
    assert.deepEqual([await handshake(opening), await handshake(opening)], [101, 401]);
    const reading = headersOf({ method: "GET", at: new Date(Date.now() - 1_000) });
    assert.equal(await send({ method: "GET", headers: reading }), 200);
    assert.equal(await handshake(reading), 401);
  });

  /** Returns the server's response to `connection_init` on a socket to this URL: the type of its message or the close code. */
  const initOverWebSocket = (url: string, headers: Record<string, string>): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(platform.httpUrl.replace(/^http/, "ws") + url, "graphql-transport-ws", { headers });
      socket.once("open", () => socket.send('{"type":"connection_init"}'));
      socket.once("message", (data) => {
        resolve(String((JSON.parse(String(data)) as { type: string }).type));
        socket.terminate();
      });
      socket.once("close", (code) => resolve(String(code)));
      socket.once("error", reject);
    });

  test("a signed GraphQL query does not open a WebSocket; a signed handshake does once", async () => {
    const signed = (url: string) =>
      signRequest({ appName: robot, privateKey: keys.privateKey, method: "GET", url, body: new Uint8Array(0) });
    const query = "/graphql?query=%7Bhealth%7Bstatus%7D%7D";
    const headers = signed(query);
    assert.equal((await fetch(platform.httpUrl + query, { headers })).status, 200);
    assert.match(await initOverWebSocket(query, headers), /^4\d{3}$/);
    const opening = signed("/graphql");
    assert.equal(await initOverWebSocket("/graphql", opening), "connection_ack");
    assert.match(await initOverWebSocket("/graphql", opening), /^4\d{3}$/);
  });

  test("failed signatures are limited per app name over all transports; other apps are not affected", async () => {
    const graphql = async (appName: string): Promise<string> => {
      const url = "/graphql?query=%7Bhealth%7Bstatus%7D%7D";
      const { privateKey } = keys;
      const headers = signRequest({ appName, privateKey, method: "GET", url, body: new Uint8Array(0) });
      const { errors } = (await (await fetch(platform.httpUrl + url, { headers })).json()) as {
        errors?: { extensions: { code: string } }[];
      };
      return errors?.[0]?.extensions.code ?? "accepted";
    };
    const stranger = uniqueName("com.example.stranger");
    // During the test the limit refills by twenty per second.
    const outcomes: string[] = [];
    while (outcomes.length < 1_000 && outcomes.at(-1) !== "RATE_LIMIT_EXCEEDED") {
      outcomes.push(...(await Promise.all(Array.from({ length: 20 }, () => graphql(stranger)))));
    }
    assert.ok(outcomes.length >= 200, `${outcomes.length}`);
    assert.deepEqual(new Set(outcomes), new Set(["AUTHENTICATION_FAILED", "RATE_LIMIT_EXCEEDED"]));
    const proxied = Array.from({ length: 100 }, () => send({ headers: headersOf({ appName: stranger }) }));
    assert.ok((await Promise.all(proxied)).includes(429));
    assert.equal(await graphql(robot), "accepted");
    assert.equal(await send({}), 200);
  });

  test("a scope that the app does not have is 403", async () => {
    const { privateKey } = await ensureAppKeys(join(folder, shop), shop);
    const headers = signRequest({ appName: shop, privateKey, method: "GET", url: path, body: new Uint8Array(0) });
    assert.equal(await send({ method: "GET", headers }), 403);
  });

  test("a refused POST cannot be repeated either, because its signature is used", async () => {
    const { privateKey } = await ensureAppKeys(join(folder, shop), shop);
    const body = new TextEncoder().encode("{}");
    const headers = signRequest({ appName: shop, privateKey, method: "POST", url: path, body });
    assert.deepEqual([await send({ headers }), await send({ headers })], [403, 401]);
  });
});
