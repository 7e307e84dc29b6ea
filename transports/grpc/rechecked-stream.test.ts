import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SettingsService } from "@appserver/contracts/proto/appserver/v2/settings";
import {
  AppError,
  LiveConnections,
  type Permissions,
  requirePermission,
  SystemClock,
  silentLogger,
  silentMetrics,
  silentTracer,
} from "@appserver/kernel";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { HealthChecks, Origins } from "../http/index.ts";
import { grpcOptions } from "../test/listener-options.ts";
import { createGrpcListener, type GrpcListener, grpcService } from "./index.ts";

const clock = new SystemClock();
const connections = new LiveConnections({ clock, logger: silentLogger });
let signedIn = true;
let permitted = true;
let reachable = true;
const permissions: Permissions = { allowed: async () => permitted };

const service = grpcService(SettingsService, {
  watchSettings: async function* (_, call) {
    await requirePermission(permissions, call, "settings:read");
    yield { settings: { appId: "first" } };
    await clock.sleep(60_000, call.signal).catch(() => {});
  },
});

describe("a gRPC stream", () => {
  let listener: GrpcListener;
  const startListener = async (): Promise<GrpcListener> => {
    const created = createGrpcListener({
      ...grpcOptions(),
      host: "127.0.0.1",
      port: 0,
      services: [service],
      authenticate: () => ({
        caller: { kind: "user", id: "alice", displayName: "Alice" },
        isProven: true,
        maxMessageBytes: 1_000,
      }),
      reauthentication: () => () => {
        if (!reachable) throw new AppError("SERVICE_UNAVAILABLE", "sessions cannot be checked");
        if (!signedIn) throw new AppError("AUTHENTICATION_FAILED", "the session is over");
      },
      connections,
      health: new HealthChecks({ checks: [], clock, version: "0" }),
      origins: new Origins([]),
      metrics: silentMetrics,
      tracer: silentTracer,
      logger: silentLogger,
      clock,
    });
    await created.start();
    return created;
  };
  before(async () => {
    listener = await startListener();
  });
  after(() => listener.stop());

  /** Opens a stream. `ended` resolves with the code that it ends with. */
  async function opened(on = listener): Promise<{ readonly ended: Promise<Code | undefined> }> {
    [signedIn, permitted, reachable] = [true, true, true];
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${on.address().port}` });
    const stream = createClient(SettingsService, transport).watchSettings({})[Symbol.asyncIterator]();
    assert.equal((await stream.next()).value?.settings?.appId, "first");
    const ended = stream.next().then(
      () => undefined,
      (error: unknown) => ConnectError.from(error).code,
    );
    connections.recheck(() => true);
    assert.equal(await Promise.race([ended, clock.sleep(50).then(() => "open")]), "open");
    return { ended };
  }

  test("ends with UNAUTHENTICATED when its session has ended", async () => {
    const { ended } = await opened();
    signedIn = false;
    connections.recheck(() => true);
    assert.equal(await ended, Code.Unauthenticated);
  });

  test("ends with PERMISSION_DENIED when a permission that was required to open it is revoked", async () => {
    const { ended } = await opened();
    permitted = false;
    connections.recheck(({ caller }) => caller.kind === "user" && caller.id === "alice");
    assert.equal(await ended, Code.PermissionDenied);
  });

  test("ends with UNAVAILABLE when the server stops, although its method ends without an error", async () => {
    const stopping = await startListener();
    const { ended } = await opened(stopping);
    await stopping.stop();
    assert.equal(await ended, Code.Unavailable);
  });

  test("stays open while sessions cannot be checked", async () => {
    const { ended } = await opened();
    reachable = false;
    connections.recheck(() => true);
    assert.equal(await Promise.race([ended, clock.sleep(100).then(() => "open")]), "open");
  });
});
