import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { scopeObject } from "@appserver/contracts/authorization";
import {
  OpenTunnelRequestSchema,
  type TunnelFrameSchema,
  type TunnelStartSchema,
} from "@appserver/contracts/proto/appserver/v2/development";
import { createPlatformClient, ensureAppKeys } from "@appserver/sdk";
import {
  type EchoUpstream,
  echoUpstream,
  eventually,
  type PlatformUnderTest,
  send,
  startPlatform,
  type TestUser,
  testApp,
  uniqueName,
  untilRouted,
  writeAppFolder,
} from "@appserver/testing/kit";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import { WebSocket } from "ws";
import { stringify } from "yaml";
import { command, purgeApp } from "./commands.ts";

const appctl = resolve(import.meta.dirname, "../../bin/appctl.mjs");
const root = resolve(import.meta.dirname, "../..");
const sdk = pathToFileURL(join(root, "sdk/src/index.ts"));
const ws = pathToFileURL(join(root, "node_modules/ws/wrapper.mjs"));
const name = uniqueName("com.example.tunnelled");
const base = `/api/apps/${name}`;

/** Refuses requests that the platform did not sign, as every app with the SDK does. */
const backend = (edition: string): string => `
import { createHash } from "node:crypto";
import { appEnvironment, forwardKey, serveApp, verifyForwarded } from "${sdk}";
import { WebSocketServer } from "${ws}";
const { host, port, appName } = appEnvironment(process.env);
const sockets = new WebSocketServer({ noServer: true });
await serveApp({
  host,
  port,
  routes: {
    "GET /edition": ({ caller }) => ({ headers: { "cache-control": "public, max-age=60" }, json: { edition: "${edition}", appName, user: caller.userId } }),
    "POST /digest": async ({ request }) => {
      const hash = createHash("sha256");
      for await (const chunk of request) hash.update(chunk);
      return { json: { digest: hash.digest("hex") } };
    },
  },
  onUpgrade: (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (each) => each.on("message", (text) => each.send("${edition}: " + text))),
});
console.log("edition ${edition} listens");
`;

/** docs/interface/proxy.md#developer-tunnels */
describe("a developer's tunnel", () => {
  let platform: PlatformUnderTest;
  let folder: string;
  let installed: EchoUpstream;
  const cookies: Partial<Record<TestUser, string>> = {};
  const running: ChildProcess[] = [];

  before(async () => {
    platform = await startPlatform();
    installed = await echoUpstream();
    folder = await writeAppFolder(backend("1"));
    const keys = await ensureAppKeys(folder, name);
    const fields = {
      name,
      version: "1.0.0",
      display_name: "Tunnelled",
      web_app: {
        api: { base_path: "/", upstream_base_url: installed.url, routes: [{ pattern: "/**", methods: ["GET", "POST"] }] },
      },
    };
    await writeFile(join(folder, "app.yaml"), stringify(fields));
    await platform.register(await testApp(fields, {}, keys));
    await platform.client().marketplace.installApp({ name });
    await untilRouted(platform.httpUrl, name);
    for (const user of ["admin", "alice"] as const) cookies[user] = await platform.login(user);
  });
  after(async () => {
    for (const child of running) child.kill("SIGTERM");
    await purgeApp(platform, name);
    await installed?.stop();
    await platform?.stop();
    await rm(folder, { recursive: true });
  });

  const get = (user: TestUser) => send(platform.httpUrl, `${base}/edition`, { headers: { cookie: cookies[user] ?? "" } });
  const editionOf = async (user: TestUser): Promise<string> => {
    const { status, text } = await get(user);
    assert.equal(status, 200, text);
    return (JSON.parse(text) as { edition?: string }).edition ?? "installed";
  };
  const granted = () => `user: "user:${platform.userId("alice")}", relation: "holder", object: "${scopeObject("app:dev")}"`;

  async function develop(user: TestUser) {
    const { APPSERVER_TOKEN: _, ...rest } = process.env;
    const env = {
      ...rest,
      APPSERVER_HTTP_URL: platform.httpUrl,
      APPSERVER_TOKEN: await platform.sessionToken(user),
    };
    const child = spawn(process.execPath, [appctl, "dev", "--tunnel", folder], { env, stdio: ["ignore", "pipe", "pipe"] });
    running.push(child);
    const shown = { text: "" };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (shown.text += text));
    return { shown, ended: once(child, "exit") };
  }

  test("needs app:dev", async () => {
    const { shown, ended } = await develop("alice");
    const [code] = await ended;
    assert.notEqual(code, 0);
    assert.match(shown.text, /app:dev/);
    assert.equal(await editionOf("alice"), "installed");
  });

  describe("of a user with app:dev", () => {
    let mine: Awaited<ReturnType<typeof develop>>;
    before(async () => {
      await command(platform, `grantAccess(${granted()}) { user }`);
      mine = await develop("alice");
      await eventually(
        () => mine.shown.text,
        (text) => text.includes("your own requests"),
      );
    });

    test("is refused for an app that is not there or does not serve, and for a broken request", async () => {
      const { development } = createPlatformClient({ grpcUrl: platform.grpcUrl, token: await platform.sessionToken("admin") });
      const codeOf = async (
        start: Partial<MessageInitShape<typeof TunnelStartSchema>>,
        ...frames: readonly MessageInitShape<typeof TunnelFrameSchema>[]
      ): Promise<Code | undefined> => {
        const value = { appName: name, tunnelId: randomUUID(), forwardSecret: randomBytes(32), ...start };
        const messages = [
          create(OpenTunnelRequestSchema, { message: { case: "start", value } }),
          ...frames.map((each) => create(OpenTunnelRequestSchema, { message: { case: "frame", value: each } })),
        ];
        try {
          for await (const _ of development.openTunnel(createAsyncIterable(messages)));
          return undefined;
        } catch (error) {
          return ConnectError.from(error).code;
        }
      };
      assert.equal(await codeOf({ appName: "com.example.absent" }), Code.NotFound);
      assert.equal(await codeOf({ tunnelId: "1" }), Code.InvalidArgument);
      assert.equal(await codeOf({ forwardSecret: randomBytes(8) }), Code.InvalidArgument);
      const broken = { connection: 1, content: { case: "data" as const, value: new Uint8Array(100_000) } };
      assert.equal(await codeOf({}, broken), Code.InvalidArgument);
      await command(platform, `setAppEnabled(name: "${name}", enabled: false) { success }`);
      assert.equal(await codeOf({}), Code.FailedPrecondition);
      await command(platform, `setAppEnabled(name: "${name}", enabled: true) { success }`);
      await eventually(
        () => editionOf("alice"),
        (edition) => edition === "1",
      );
    });

    test("carries the requests of this user, signed, and of no other", async () => {
      const { text, headers } = await get("alice");
      assert.equal(headers["cache-control"], "private, no-store");
      assert.deepEqual(JSON.parse(text), { edition: "1", appName: name, user: platform.userId("alice") });
      assert.equal(await editionOf("admin"), "installed");
    });

    test("carries large bodies and WebSockets", async () => {
      const body = randomBytes(5_000_000);
      const headers = { cookie: cookies.alice ?? "", "sec-fetch-site": "same-origin" };
      const { text } = await send(platform.httpUrl, `${base}/digest`, { method: "POST", headers, body });
      const { digest } = JSON.parse(text) as { readonly digest?: string };
      assert.equal(digest, createHash("sha256").update(body).digest("hex"));
      const socket = new WebSocket(`${platform.httpUrl.replace("http", "ws")}${base}/socket`, { headers });
      socket.once("open", () => socket.send("hello"));
      const [message] = await once(socket, "message");
      assert.equal(String(message), "1: hello");
      socket.close();
    });

    test("no request fails while an edit is taken", async () => {
      await writeFile(join(folder, "src/server.ts"), backend("2"));
      await eventually(
        () => editionOf("alice"),
        (edition) => {
          assert.ok(edition === "1" || edition === "2", edition);
          return edition === "2";
        },
      );
    });

    test("a backend that does not start is reported, and the one before continues", async () => {
      await writeFile(join(folder, "src/server.ts"), "process.exit(3);");
      await eventually(
        () => mine.shown.text,
        (text) => text.includes("ended with exit code 3"),
      );
      assert.equal(await editionOf("alice"), "2");
      await writeFile(join(folder, "src/server.ts"), backend("3"));
      await eventually(
        () => editionOf("alice"),
        (edition) => edition === "3",
      );
    });

    test("is replaced by another tunnel of the user", async () => {
      const next = await develop("alice");
      const [code] = await mine.ended;
      assert.notEqual(code, 0);
      assert.match(mine.shown.text, /has replaced this one/);
      await eventually(
        () => next.shown.text,
        (text) => text.includes("your own requests"),
      );
      assert.equal(await editionOf("alice"), "3");
      mine = next;
    });

    test("ends when the user loses app:dev", async () => {
      await command(platform, `revokeAccess(${granted()}) { user }`);
      const [code] = await mine.ended;
      assert.notEqual(code, 0);
      assert.match(mine.shown.text, /app:dev/);
      assert.equal(await editionOf("alice"), "installed");
    });
  });
});
