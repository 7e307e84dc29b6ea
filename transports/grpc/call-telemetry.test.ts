import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { AppError, currentTraceparent, parseTraceparent, SystemClock, silentLogger, silentTracer } from "@appserver/kernel";
import type { Tracer } from "@appserver/kernel/ports";
import { RecordingMetrics, RecordingTracer } from "@appserver/testing/kit";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { HealthChecks, Origins } from "../http/index.ts";
import { anyCaller } from "../test/call-admission.ts";
import { grpcOptions } from "../test/listener-options.ts";
import { CallTelemetry } from "./call-telemetry.ts";
import { createGrpcListener, grpcService } from "./index.ts";

const inbound = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const clock = new SystemClock();

/** Calls GetApp by each name, and returns the traces that the implementation saw. */
async function traces(tracer: Tracer, metrics: RecordingMetrics, calls: readonly (readonly [string, string?])[]) {
  const seen: (string | undefined)[] = [];
  const service = grpcService(MarketplaceService, {
    getApp: async ({ name }) => {
      await Promise.resolve();
      seen.push(currentTraceparent());
      if (name === "missing") throw new AppError("NOT_FOUND", "no such app");
      return { app: { name } };
    },
  });
  const listener = createGrpcListener({
    ...grpcOptions(),
    host: "127.0.0.1",
    port: 0,
    services: [service],
    authenticate: () => anyCaller,
    reauthentication: () => () => {},
    connections: { join: () => () => {} },
    health: new HealthChecks({ checks: [], clock, version: "0.1.0" }),
    origins: new Origins([]),
    logger: silentLogger,
    metrics,
    tracer,
    clock,
  });
  await listener.start();
  const { host, port } = listener.address();
  const client = createClient(MarketplaceService, createGrpcTransport({ baseUrl: `http://${host}:${port}` }));
  for (const [name, traceparent] of calls) {
    await client.getApp({ name }, traceparent === undefined ? {} : { headers: { traceparent } }).catch(() => {});
  }
  await listener.stop();
  return seen;
}

describe("telemetry of gRPC calls", () => {
  test("calls are counted by method and code", async () => {
    const metrics = new RecordingMetrics();
    await traces(silentTracer, metrics, [["a"], ["missing"], ["b"]]);
    const called = { service: "appserver.v2.MarketplaceService", method: "GetApp" };
    assert.equal(metrics.value(metricCatalogue.grpcCalls, { ...called, code: "OK" }), 2);
    assert.equal(metrics.value(metricCatalogue.grpcCalls, { ...called, code: "NotFound" }), 1);
    assert.equal(metrics.value(metricCatalogue.grpcCallDuration, called), 3);
  });

  test("without spans, a call's work has its caller's trace, or a new one", async () => {
    const [own, callers, malformed] = await traces(silentTracer, new RecordingMetrics(), [
      ["a"],
      ["a", inbound],
      ["a", "00-x"],
    ]);
    assert.equal(callers, inbound);
    assert.ok(parseTraceparent(own) && parseTraceparent(malformed));
    assert.notEqual(own, malformed);
  });

  test("a call is a span that continues its caller's, and its work continues it", async () => {
    const tracer = new RecordingTracer();
    const [first] = await traces(tracer, new RecordingMetrics(), [["a", inbound], ["missing"]]);
    const [span, failed] = tracer.spans;
    assert.deepEqual([span?.name, span?.options.parent], ["appserver.v2.MarketplaceService/GetApp", inbound]);
    assert.equal(first, span?.traceparent);
    assert.deepEqual([span?.attributes["rpc.response.status_code"], span?.error, span?.ended], ["OK", undefined, 1]);
    const seen = [failed?.attributes["rpc.response.status_code"], failed?.error, failed?.ended];
    assert.deepEqual(seen, ["NOT_FOUND", undefined, 1]);
  });

  test("only the codes that are faults of a server make a span an error", () => {
    const failedCodes = (Object.values(Code) as readonly (string | Code)[]).filter((code) => {
      if (typeof code !== "string") return false;
      const tracer = new RecordingTracer();
      new CallTelemetry(new RecordingMetrics(), tracer)
        .begin({ service: "s", method: "m" }, true, undefined, true)
        .finished(code, 1);
      return tracer.spans[0]?.error !== undefined;
    });
    assert.deepEqual(failedCodes, ["Unknown", "DeadlineExceeded", "Unimplemented", "Internal", "Unavailable", "DataLoss"]);
  });
});
