import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { SystemClock, silentLogger, silentMetrics, silentTracer } from "@appserver/kernel";
import { type AppKeys, ensureAppKeys } from "@appserver/sdk";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { HealthChecks, Origins, type TlsOptions } from "../http/index.ts";
import { anyCaller } from "../test/call-admission.ts";
import { grpcOptions } from "../test/listener-options.ts";
import { createGrpcListener, type GrpcCredentials, type GrpcListener, type GrpcListenerOptions, grpcService } from "./index.ts";

const clock = new SystemClock();
const path = "/appserver.v2.MarketplaceService/GetApp";
const json = { "content-type": "application/json" };

async function started(options: Partial<GrpcListenerOptions> = {}): Promise<GrpcListener> {
  const listener = createGrpcListener({
    ...grpcOptions(),
    host: "127.0.0.1",
    port: 0,
    services: [grpcService(MarketplaceService, { getApp: ({ name }) => ({ app: { name } }) })],
    authenticate: () => anyCaller,
    reauthentication: () => () => {},
    connections: { join: () => () => {} },
    health: new HealthChecks({ checks: [], clock, version: "0.1.0" }),
    origins: new Origins(["https://console.example.com"]),
    logger: silentLogger,
    metrics: silentMetrics,
    tracer: silentTracer,
    clock,
    ...options,
  });
  await listener.start();
  return listener;
}

describe("calls from browsers", () => {
  const call = async (listener: GrpcListener, init: RequestInit): Promise<Response> => {
    const response = await fetch(`http://127.0.0.1:${listener.address().port}${path}`, init);
    await response.arrayBuffer();
    return response;
  };

  test("pages of allowed origins may call, with and without a preflight, without cookies", async () => {
    const listener = await started();
    const origin = "https://console.example.com";
    const preflight = await call(listener, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "x-grpc-web" },
    });
    assert.deepEqual(
      [preflight.status, preflight.headers.get("access-control-allow-origin")],
      [204, "https://console.example.com"],
    );
    assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /X-Grpc-Web/i);
    assert.equal(preflight.headers.get("access-control-allow-credentials"), null);
    const answer = await call(listener, { method: "POST", headers: { ...json, origin }, body: '{"name":"a"}' });
    assert.deepEqual([answer.status, answer.headers.get("access-control-allow-origin")], [200, origin]);
    assert.match(answer.headers.get("access-control-expose-headers") ?? "", /grpc-status/i);
    await listener.stop();
  });

  test("pages of other origins are refused, whatever they send", async () => {
    const listener = await started();
    for (const method of ["OPTIONS", "POST"]) {
      const headers = { ...json, origin: "https://evil.example" };
      const { status, headers: given } = await call(listener, { method, headers, ...(method === "POST" && { body: "{}" }) });
      assert.deepEqual([status, given.get("access-control-allow-origin")], [403, null]);
    }
    await listener.stop();
  });

  test("a host name that was rebound to this machine does not make its page same-origin", async () => {
    const listener = await started({ allowedHosts: ["127.0.0.1"] });
    assert.equal((await call(listener, { method: "POST", headers: json, body: "{}" })).status, 200);
    const { request } = await import("node:http");
    const status = await new Promise((resolve) => {
      const { port } = listener.address();
      const headers = { ...json, host: `rebound.example:${port}`, origin: `http://rebound.example:${port}` };
      request({ port, host: "127.0.0.1", method: "POST", path, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end("{}");
    });
    assert.equal(status, 400);
    await listener.stop();
  });
});

describe("client certificates", () => {
  const withKeys = async (work: (server: AppKeys, client: AppKeys) => Promise<void>): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), "appserver-mtls-"));
    try {
      await work(await ensureAppKeys(join(folder, "s"), "server"), await ensureAppKeys(join(folder, "c"), "com.example.clock"));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  const pem = ({ privateKey }: AppKeys): string => privateKey.export({ type: "pkcs8", format: "pem" }).toString();

  test("optional: authentication receives the connection's certificate; required: a connection without one is refused", async () => {
    await withKeys(async (server, client) => {
      const seen: (string | undefined)[] = [];
      const authenticate = ({ clientCertificate }: GrpcCredentials) => {
        seen.push(clientCertificate?.subject);
        return anyCaller;
      };
      const outcome = async (clientCertificates: "off" | "optional" | "required", keys?: AppKeys): Promise<string> => {
        const tls: TlsOptions = { cert: server.certificate, key: pem(server), clientCertificates };
        const listener = await started({ tls, authenticate });
        const transport = createGrpcTransport({
          baseUrl: `https://127.0.0.1:${listener.address().port}`,
          nodeOptions: { rejectUnauthorized: false, ...(keys && { cert: keys.certificate, key: pem(keys) }) },
        });
        const call = createClient(MarketplaceService, transport).getApp({ name: "a" }, { timeoutMs: 5_000 });
        const result = await call.then(
          ({ app }) => app?.name ?? "",
          (error: unknown) => `refused: ${ConnectError.from(error).code > 0}`,
        );
        await listener.stop();
        return result;
      };
      assert.equal(await outcome("off", client), "a");
      assert.equal(await outcome("optional"), "a");
      assert.equal(await outcome("optional", client), "a");
      assert.equal(await outcome("required", client), "a");
      assert.equal(await outcome("required"), "refused: true");
      assert.deepEqual(seen, [undefined, undefined, "CN=com.example.clock", "CN=com.example.clock"]);
    });
  });
});
