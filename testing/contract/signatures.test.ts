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
import { type AppKeys, ensureAppKeys, type PlatformClient, signRequest } from "@appserver/sdk";
import { approvePermissions, type PlatformUnderTest, startPlatform, uniqueName, untilRouted } from "@appserver/testing/kit";
import { create } from "@bufbuild/protobuf";

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
    await approvePermissions(platform, manifest.name);
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

  test("a scope that the app does not have is 403", async () => {
    const { privateKey } = await ensureAppKeys(join(folder, shop), shop);
    const headers = signRequest({ appName: shop, privateKey, method: "GET", url: path, body: new Uint8Array(0) });
    assert.equal(await send({ method: "GET", headers }), 403);
  });
});
