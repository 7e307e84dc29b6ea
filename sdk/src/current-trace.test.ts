import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createHttp2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { after, before, beforeEach, describe, test } from "node:test";
import { ActivityRunSchema } from "@appserver/contracts/proto/appserver/v2/activity";
import { create } from "@bufbuild/protobuf";
import { HeldRun } from "./activities/held-run.ts";
import { createAppClient } from "./app-client.ts";
import { currentTrace, runInTrace } from "./current-trace.ts";
import { triggerHook } from "./hooks/hook.ts";
import { createPlatformClient } from "./platform-client.ts";
import { type RunningApp, serveApp } from "./serve-app.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const other = `00-${"a".repeat(32)}-00f067aa0ba902b7-00`;
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** The traces of the requests that the platform received, by HTTP and by gRPC. */
let received: (string | undefined)[] = [];
const http = createServer(({ headers }, response) => {
  received.push(headers["traceparent"] as string | undefined);
  response.end("{}");
});
const grpc = createHttp2Server();
const sessions = new Set<ServerHttp2Session>();
grpc.on("session", (session) => sessions.add(session));
grpc.on("stream", (stream, headers) => {
  received.push(headers["traceparent"] as string | undefined);
  stream.resume().respond({ ":status": 200, "content-type": "application/grpc+proto" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(Buffer.alloc(5));
});

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the current trace", () => {
  let platform: ReturnType<typeof createPlatformClient>;
  let apps: ReturnType<typeof createAppClient>;
  let app: RunningApp;
  let url = "";

  before(async () => {
    platform = createPlatformClient({ grpcUrl: await listen(grpc), app: { name: "com.example.app", privateKey } });
    apps = createAppClient({ httpUrl: await listen(http), appName: "com.example.app", privateKey });
    app = await serveApp({
      host: "127.0.0.1",
      port: 0,
      logRequests: true,
      routes: {
        "GET /calls/{id}": async () => {
          await Promise.resolve();
          await apps.fetch("/api/apps/com.example.other/x");
          await triggerHook(platform, "com.example.app.called");
          return { json: currentTrace() };
        },
        "GET /broken": () => {
          throw new Error("no");
        },
      },
    });
    url = `http://127.0.0.1:${app.port}`;
  });
  beforeEach(() => {
    received = [];
  });
  after(async () => {
    await app.stop();
    http.close();
    for (const session of sessions) session.destroy();
    grpc.close();
  });

  test("of a request passes to other apps and to the platform", async () => {
    const response = await fetch(`${url}/calls/secret`, { headers: { traceparent, "x-request-id": "r1" } });
    assert.deepEqual(await response.json(), { traceparent, requestId: "r1" });
    assert.deepEqual(received, [traceparent, traceparent]);
  });

  test("of a run passes as well; what happens outside of any begins no trace", async () => {
    const run = create(ActivityRunSchema, { id: "1", attempt: 1, traceparent });
    await new HeldRun(run, () => {}).work(run, async ({ traceparent: given }) => {
      await triggerHook(platform, "com.example.app.ran");
      assert.equal(given, traceparent);
    });
    await triggerHook(platform, "com.example.app.idle");
    assert.deepEqual(received, [traceparent, undefined]);
  });

  test("can be replaced for one trigger, for example by that of a request whose work was kept for later", async () => {
    await runInTrace({ traceparent: other }, () => triggerHook(platform, "com.example.app.kept", null, { traceparent }));
    assert.deepEqual(received, [traceparent]);
  });

  test("is in the line of each request, with the route and without the path; health checks have no line", async (t) => {
    const lines: Record<string, unknown>[] = [];
    t.mock.method(console, "log", (text: string) => lines.push(JSON.parse(text)));
    t.mock.method(console, "error", () => {});
    for (const path of ["/health", "/calls/secret", "/broken", "/unknown"])
      await fetch(url + path, { headers: { traceparent, "x-request-id": path.slice(1, 4) } });
    t.mock.restoreAll();
    assert.deepEqual(
      lines.map(({ level, msg, route, status, requestId, traceId: of }) => [level, msg, route, status, requestId, of]),
      [
        ["info", "request", "GET /calls/{id}", 200, "cal", traceId],
        ["error", "request", "GET /broken", 500, "bro", traceId],
        ["info", "request", undefined, 404, "unk", traceId],
      ],
    );
    assert.ok(!JSON.stringify(lines).includes("secret"));
  });
});
