import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { eventually, RecordingMetrics, RecordingTracer } from "@appserver/testing/kit";
import { Echo, send, started } from "../test/http-listener-fixture.ts";

const inbound = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

describe("telemetry of the HTTP listener", () => {
  test("requests are counted by method, route and status class, never by path", async () => {
    const metrics = new RecordingMetrics();
    const listener = await started({ metrics, proxy: new Echo() });
    await send(listener, "/health");
    await send(listener, "/health", { method: "DELETE" });
    for (let number = 0; number < 5; number++) await send(listener, `/made-up-${number}`);
    await send(listener, "/api/apps/a/b");
    await send(listener, "/api/apps/a/fail");
    assert.equal((await metrics.readings(metricCatalogue.httpRequestsActive))[0]?.value, 0);
    await listener.stop();
    const count = (method: string, route: string, status: string): number =>
      metrics.value(metricCatalogue.httpRequests, { method, route, status });
    assert.deepEqual(
      [
        count("GET", "/health", "2xx"),
        count("DELETE", "/health", "4xx"),
        count("GET", "unknown", "4xx"),
        count("GET", "/api/apps/*", "2xx"),
        count("GET", "/api/apps/*", "5xx"),
      ],
      [1, 1, 5, 1, 1],
    );
    assert.equal(metrics.value(metricCatalogue.httpRequestDuration, { method: "GET", route: "/api/apps/*" }), 2);
  });

  test("/metrics returns the exposition, one at a time, and is 404 without one", async () => {
    const waiting: (() => void)[] = [];
    let looks = 0;
    const scrape = async () => {
      looks += 1;
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { contentType: "text/plain; version=0.0.4; charset=utf-8", body: "up 1\n" };
    };
    const metrics = new RecordingMetrics();
    const listener = await started({ scrape, metrics });
    const both = Promise.all([send(listener, "/metrics"), send(listener, "/metrics")]);
    await eventually(
      () => metrics.readings(metricCatalogue.httpRequestsActive),
      ([active]) => active?.value === 2,
    );
    for (const resolve of waiting) resolve();
    for (const { status, text, headers } of await both) {
      assert.deepEqual([status, text, headers["content-type"]], [200, "up 1\n", "text/plain; version=0.0.4; charset=utf-8"]);
    }
    assert.equal(looks, 1);
    await listener.stop();
    const bare = await started();
    assert.equal((await send(bare, "/metrics")).status, 404);
    await bare.stop();
  });

  test("a request is a span that continues its caller's, and handlers continue it", async () => {
    const tracer = new RecordingTracer();
    const listener = await started({ tracer, proxy: new Echo() });
    const { headers } = await send(listener, "/api/apps/a/b?secret=1", {
      headers: { traceparent: inbound, "x-request-id": "r1" },
    });
    await send(listener, "/api/apps/a/crash");
    await listener.stop();
    const [first, second] = tracer.spans;
    assert.deepEqual([first?.name, first?.options.parent, first?.options.kind], ["GET /api/apps/*", inbound, "server"]);
    assert.equal(headers["traceparent"], first?.traceparent);
    assert.deepEqual(first?.attributes, {
      "http.request.method": "GET",
      "http.route": "/api/apps/*",
      "appserver.request_id": "r1",
      "http.response.status_code": 200,
    });
    assert.deepEqual([first?.error, first?.ended, second?.error, second?.ended], [undefined, 1, 500, 1]);
  });

  test("without spans a request continues the trace of its caller, or begins one if the header is malformed", async () => {
    const listener = await started({ proxy: new Echo() });
    const traceOf = async (traceparent: string | undefined): Promise<string> => {
      const { headers } = await send(listener, "/api/apps/a/b", traceparent === undefined ? {} : { headers: { traceparent } });
      return String(headers["traceparent"]);
    };
    assert.equal(await traceOf(inbound), inbound);
    for (const malformed of [undefined, "", "00-1-2-01"])
      assert.match(await traceOf(malformed), /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    assert.notEqual(await traceOf(undefined), await traceOf(undefined));
    await listener.stop();
  });
});
