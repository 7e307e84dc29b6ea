import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { maxFieldLength, parseTraceparent, SystemClock, silentLogger, silentMetrics, silentTracer } from "@appserver/kernel";
import type { Metrics } from "@appserver/kernel/ports";
import { TraceSink } from "@appserver/testing/kit";
import { tracerSuite } from "../../tracer.suite.ts";
import { OtlpTracer, type OtlpTracerOptions } from "./otlp-tracer.ts";

const clock = new SystemClock();
const sink = new TraceSink();
const inbound = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

before(() => sink.start());
after(() => sink.stop());

function createTracer(options: Partial<OtlpTracerOptions> = {}): OtlpTracer {
  return new OtlpTracer({
    endpoint: sink.endpoint,
    serviceName: "appserver",
    serviceVersion: "0.1.0",
    instance: "test",
    clock,
    logger: silentLogger,
    metrics: silentMetrics,
    delayMs: 10,
    sampleRatio: 1,
    ...options,
  });
}

/** Counts dropped spans, by reason. */
function dropCounter(): { readonly dropped: Record<string, number>; readonly metrics: Metrics } {
  const dropped: Record<string, number> = {};
  const bind = (labels: Readonly<Record<string, string>>) => ({
    add: (amount = 1) => {
      dropped[labels["reason"] ?? ""] = (dropped[labels["reason"] ?? ""] ?? 0) + amount;
    },
  });
  return { dropped, metrics: { ...silentMetrics, counter: () => ({ bind }) } };
}

tracerSuite("OTLP", async () => {
  const tracer = createTracer();
  return { tracer, close: () => tracer.stop() };
});
tracerSuite("none", async () => ({ tracer: silentTracer }));

describe("OTLP tracer", { timeout: 30_000 }, () => {
  beforeEach(() => {
    sink.spans.length = 0;
  });

  test("names and attributes are cut, whatever a caller sent", async () => {
    const tracer = createTracer();
    const long = "x".repeat(50_000);
    const span = tracer.startSpan(long, { attributes: { "http.request.method": long } });
    span.setAttribute("later", long);
    span.end();
    await tracer.stop();
    const [{ name, attributes } = assert.fail("no span")] = sink.spans;
    const lengths = [name, ...Object.values(attributes)].map((text) => String(text).length);
    assert.deepEqual(lengths, [maxFieldLength, maxFieldLength, maxFieldLength]);
  });

  test("spans arrive as OTLP protobuf, with their parents, kinds, attributes and errors", async () => {
    const tracer = createTracer({ headers: { authorization: "Bearer t0ken" } });
    const server = tracer.startSpan("GET", {
      parent: inbound,
      kind: "server",
      attributes: { "http.response.status_code": 502 },
    });
    const client = tracer.startSpan("call", { parent: server.traceparent, kind: "client", attributes: { app: "notes" } });
    client.recordError(new Error("a secret in a message"));
    client.end();
    server.setName("GET /api/apps/*");
    server.end();
    await tracer.stop();
    const [first, second] = sink.spans.splice(0);
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    assert.deepEqual(first, {
      traceId,
      spanId: parseTraceparent(client.traceparent)?.spanId,
      parentSpanId: parseTraceparent(server.traceparent)?.spanId,
      name: "call",
      kind: 3,
      statusCode: 2,
      statusMessage: "Error",
      attributes: { app: "notes" },
      service: "appserver",
    });
    assert.deepEqual(
      [second?.name, second?.kind, second?.parentSpanId, second?.attributes],
      ["GET /api/apps/*", 2, "00f067aa0ba902b7", { "http.response.status_code": 502 }],
    );
    const expected = { path: "/v1/traces", type: "application/x-protobuf", authorization: "Bearer t0ken" };
    assert.deepEqual(sink.requests.at(-1), expected);
  });

  test("spans that callers chose not to record, and spans outside the ratio, are not sent", async () => {
    const tracer = createTracer({ sampleRatio: 0 });
    tracer.startSpan("unsampled caller", { parent: `${inbound.slice(0, -2)}00` }).end();
    tracer.startSpan("root").end();
    tracer.startSpan("sampled caller", { parent: inbound }).end();
    await tracer.stop();
    assert.deepEqual(
      sink.spans.splice(0).map(({ name }) => name),
      ["sampled caller"],
    );
  });

  test("an untrusted parent's trace is continued, but neither its flag nor its trace id decides about recording", async () => {
    const never = createTracer({ sampleRatio: 0 });
    // With this trace id every ratio except 0 would record it.
    const cheapest = `00-00000000000000000000000000000001-${"1".repeat(16)}-01`;
    for (const parent of [inbound, cheapest]) never.startSpan("requested", { parent, isParentTrusted: false }).end();
    await never.stop();
    assert.deepEqual(sink.spans.splice(0), []);
    const rarely = createTracer({ sampleRatio: 0.01 });
    for (let count = 0; count < 1_000; count += 1)
      rarely.startSpan("requested", { parent: cheapest, isParentTrusted: false }).end();
    await rarely.stop();
    assert.ok(sink.spans.splice(0).length < 100);
    const always = createTracer({ sampleRatio: 1 });
    const span = always.startSpan("requested", { parent: `${inbound.slice(0, -2)}00`, isParentTrusted: false });
    span.end();
    await always.stop();
    assert.equal(sink.spans.splice(0).length, 1);
    assert.equal(span.traceparent.split("-")[1], inbound.split("-")[1]);
  });

  test("while the collector is down spans are dropped and counted, and are sent again when it is back", async () => {
    const { dropped, metrics } = dropCounter();
    const tracer = createTracer({ metrics, exportTimeoutMs: 10_000 });
    await sink.stop();
    for (let number = 0; number < 3; number++) tracer.startSpan("lost").end();
    while (dropped["export_failed"] !== 3) await clock.sleep(10);
    await sink.start();
    tracer.startSpan("kept").end();
    await tracer.stop();
    assert.deepEqual(
      sink.spans.splice(0).map(({ name }) => name),
      ["kept"],
    );
    assert.deepEqual(dropped, { export_failed: 3 });
  });

  test("if a collector refuses, only the batch is lost", async () => {
    const { dropped, metrics } = dropCounter();
    const tracer = createTracer({ metrics });
    sink.status = 400;
    tracer.startSpan("refused").end();
    await tracer.stop();
    sink.status = 200;
    assert.deepEqual(dropped, { export_failed: 1 });
  });

  test("the queue is bounded: spans beyond its limit are dropped and counted", async () => {
    const { dropped, metrics } = dropCounter();
    const tracer = createTracer({ metrics, queueSize: 5, batchSize: 5, delayMs: 60_000 });
    for (let number = 0; number < 8; number++) tracer.startSpan(`span ${number}`).end();
    await tracer.stop();
    assert.deepEqual([sink.spans.splice(0).length, dropped], [5, { queue_full: 3 }]);
  });

  test("stop sends waiting spans, with a short time limit", async () => {
    const tracer = createTracer({ delayMs: 60_000 });
    tracer.startSpan("last").end();
    await tracer.stop();
    assert.deepEqual(
      sink.spans.splice(0).map(({ name }) => name),
      ["last"],
    );
    await sink.stop();
    const cutOff = createTracer({ exportTimeoutMs: 100 });
    cutOff.startSpan("lost").end();
    const startedAt = clock.monotonic();
    await cutOff.stop();
    assert.ok(clock.monotonic() - startedAt < 4_500);
    await sink.start();
  });

  test("invalid endpoints and ratios are refused", () => {
    for (const endpoint of ["", "collector:4318", "ftp://collector"]) {
      assert.throws(() => createTracer({ endpoint }), RangeError);
    }
    assert.throws(() => createTracer({ sampleRatio: 1.5 }), RangeError);
  });
});
