import assert from "node:assert/strict";
import { connect as createSocket, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { SettingsService } from "@appserver/contracts/proto/appserver/v2/settings";
import { anonymousCaller, SystemClock, silentLogger, silentMetrics, silentTracer } from "@appserver/kernel";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { HealthChecks, Origins } from "../http/index.ts";
import { grpcOptions } from "../test/listener-options.ts";
import { createGrpcListener, type GrpcListener, grpcService } from "./index.ts";

const clock = new SystemClock();
const ageMs = 300;

const marketplace = grpcService(MarketplaceService, { getApp: async ({ name }) => ({ app: { name } }) });
const settings = grpcService(SettingsService, {
  watchSettings: async function* () {
    for (let count = 0; count < 3; count += 1) {
      yield { settings: { appId: String(count) } };
      await clock.sleep(ageMs);
    }
  },
});

function healthy(): HealthChecks {
  return new HealthChecks({ checks: [], clock, version: "0.1.0" });
}

async function started(maxConnectionAgeMs: number, health = healthy()): Promise<GrpcListener> {
  const own = grpcOptions();
  const listener = createGrpcListener({
    ...own,
    limits: { ...own.limits, maxConnectionAgeMs },
    host: "127.0.0.1",
    port: 0,
    services: [marketplace, settings],
    reauthentication: () => () => {},
    connections: { join: () => () => {} },
    authenticate: async (credentials) => {
      await credentials.readMessage(1_000, "com.example.notes");
      return { caller: anonymousCaller, isProven: false, maxMessageBytes: 1_000 };
    },
    health,
    origins: new Origins([]),
    metrics: silentMetrics,
    tracer: silentTracer,
    logger: silentLogger,
    clock,
  });
  await listener.start();
  return listener;
}

describe("the age of a connection", () => {
  let listener: GrpcListener;
  before(async () => {
    listener = await started(ageMs);
  });
  after(() => listener.stop());

  /** Returns a client, and how many connections it has opened. */
  function clientOf(age: GrpcListener): {
    readonly client: Client<typeof MarketplaceService>;
    readonly transport: Transport;
    readonly opened: () => number;
    readonly end: () => void;
  } {
    let connections = 0;
    const { host, port } = age.address();
    const createConnection = (): Socket => {
      connections += 1;
      return createSocket(port, host);
    };
    const url = `http://${host}:${port}`;
    const sessionManager = new Http2SessionManager(url, {}, { createConnection });
    const transport = createGrpcTransport({ baseUrl: url, sessionManager });
    const client = createClient(MarketplaceService, transport);
    return { client, transport, opened: () => connections, end: () => sessionManager.abort() };
  }

  test("calls in a row never fail, and move to another connection at each age", async () => {
    const { client, opened, end } = clientOf(listener);
    for (let count = 0; opened() < 5; count += 1)
      assert.equal((await client.getApp({ name: String(count) })).app?.name, String(count));
    end();
  });

  test("a stream on a connection that ends continues", async () => {
    const { client, opened, end, transport } = clientOf(listener);
    const seen: string[] = [];
    for await (const { settings: each } of createClient(SettingsService, transport).watchSettings({ appId: "any" })) {
      seen.push(each?.appId ?? "");
      await client.getApp({ name: "any" });
    }
    assert.deepEqual(seen, ["0", "1", "2"]);
    assert.ok(opened() >= 2, String(opened()));
    end();
  });

  test("with 0 a connection has no age", async () => {
    const lasting = await started(0);
    const { client, opened, end } = clientOf(lasting);
    for (let count = 0; count < 3; count += 1) {
      await client.getApp({ name: "any" });
      await clock.sleep(ageMs);
    }
    assert.equal(opened(), 1);
    end();
    await lasting.stop();
  });

  test("while a server leaves, each connection ends with its next call, and none fails", async () => {
    const health = healthy();
    const leaving = await started(0, health);
    const { client, opened, end } = clientOf(leaving);
    await client.getApp({ name: "any" });
    health.drain();
    for (let count = 0; count < 20; count += 1) await client.getApp({ name: "any" });
    assert.equal(opened(), 20);
    end();
    await leaving.stop();
  });
});
