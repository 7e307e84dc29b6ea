import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { parseTraceparent } from "@appserver/kernel";
import { RecordingTracer } from "@appserver/testing/kit";
import type { ProxyDeps } from "../src/index.ts";
import { app, echo, handshake, perMinute, route, TestProxy } from "./fakes.ts";

const inbound = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

function scene(t: TestContext, deps: Partial<ProxyDeps> = {}): TestProxy {
  const proxy = new TestProxy({ deps });
  t.after(() => proxy.stop());
  return proxy;
}

test("requests, upstream responses and refusals are counted by app and status class", async (t) => {
  const proxy = scene(t);
  const limited = route("/limited", { rateLimit: perMinute(1) });
  await proxy.start(
    app({ url: await proxy.upstream(echo), api: { routes: [route("/x"), limited] } }),
    app({ name: "gone", url: "http://127.0.0.1:1", api: { routes: [route("/x")] } }),
  );
  for (const path of ["demo/x", "demo/x", "demo/none", "demo/limited", "demo/limited", "gone/x", "unknown/x"]) {
    await proxy.fetch(`/api/apps/${path}`);
  }
  await proxy.logged(7);
  const { metrics } = proxy;
  const count = (name: keyof typeof metricCatalogue, labels: Record<string, string>) =>
    metrics.value(metricCatalogue[name], labels);
  assert.equal(count("proxyRequests", { app: "demo", status: "2xx" }), 3);
  assert.equal(count("proxyRequests", { app: "demo", status: "4xx" }), 2);
  assert.equal(count("proxyRequests", { app: "gone", status: "5xx" }), 1);
  assert.equal(count("proxyRequests", { app: "none", status: "4xx" }), 1);
  assert.equal(count("proxyRequestDuration", { app: "demo" }), 5);
  assert.equal(count("upstreamRequests", { app: "demo", status: "2xx" }), 3);
  assert.equal(count("upstreamRequests", { app: "gone", status: "failed" }), 1);
  assert.equal(count("upstreamRequestDuration", { app: "demo" }), 3);
  assert.equal(count("rateLimitRefusals", { app: "demo" }), 1);
  assert.equal(count("proxyRefusals", { app: "demo", reason: "rate_limited" }), 1);
  assert.equal(count("proxyRefusals", { app: "gone", reason: "upstream_unreachable" }), 1);
});

test("an app name in the path creates no series before the app is installed", async (t) => {
  const proxy = scene(t);
  await proxy.start();
  for (let number = 0; number < 50; number++) await proxy.fetch(`/api/apps/made-up-${number}/x`);
  await proxy.logged(50);
  assert.equal(proxy.metrics.value(metricCatalogue.proxyRequests, { app: "none", status: "4xx" }), 50);
});

test("breaker states are reported for the apps that are served now", async (t) => {
  const proxy = scene(t);
  await proxy.start(app({ url: "http://127.0.0.1:1", api: { routes: [route("/x")] } }));
  const states = () => proxy.metrics.readings(metricCatalogue.breakerState);
  assert.deepEqual(await states(), [{ labels: { app: "demo" }, value: 0 }]);
  for (let number = 0; number < 5; number++) await proxy.fetch("/api/apps/demo/x");
  assert.deepEqual(await states(), [{ labels: { app: "demo" }, value: 2 }]);
  proxy.apps.clear();
  proxy.proxy.refreshApp("demo");
  assert.deepEqual(await states(), []);
});

test("open WebSockets are counted", async (t) => {
  const proxy = scene(t);
  await proxy.start(app({ url: await proxy.webSockets(), api: { routes: [route("/live")] } }));
  const open = async () => (await proxy.metrics.readings(metricCatalogue.websocketsOpen))[0]?.value;
  assert.equal(await open(), 0);
  const socket = handshake(proxy.port, "/api/apps/demo/live");
  assert.match(String((await once(socket, "data"))[0]), /^HTTP\/1.1 101/);
  assert.equal(await open(), 1);
  socket.destroy();
  await proxy.logged(1);
  assert.equal(await open(), 0);
});

test("the series of an app end when it is uninstalled, and a running request does not start them again", async (t) => {
  const proxy = scene(t);
  const waiting = Promise.withResolvers<() => void>();
  const url = await proxy.upstream((request, response) => {
    if (request.url === "/slow") waiting.resolve(() => response.end());
    else response.end();
  });
  const routes = [route("/**", { id: "all" })];
  await proxy.start(app({ url, api: { routes } }), app({ name: "other", url, api: { routes } }));
  for (const name of ["demo", "other"]) await proxy.fetch(`/api/apps/${name}/x`);
  const slow = proxy.fetch("/api/apps/demo/slow");
  const release = await waiting.promise;
  const count = (name: string) => proxy.metrics.value(metricCatalogue.proxyRequests, { app: name, status: "2xx" });
  await proxy.logged(2);
  assert.deepEqual([count("demo"), count("other")], [1, 1]);
  proxy.apps.delete("demo");
  proxy.proxy.refreshApp("demo");
  release();
  await slow;
  await proxy.logged(3);
  assert.deepEqual([count("demo"), count("other"), count("none")], [0, 1, 1]);
  assert.equal((await proxy.metrics.readings(metricCatalogue.breakerState)).length, 1);
});

test("an inbound traceparent is forwarded unchanged if nothing is recorded; a malformed one is replaced", async (t) => {
  const proxy = scene(t);
  await proxy.start(app({ url: await proxy.upstream(echo), api: { routes: [route("/x")] } }));
  const upstreamSaw = async (traceparent: string) => {
    const { headers } = (await proxy.fetch("/api/apps/demo/x", { headers: { traceparent } })).json() as {
      headers: Record<string, string>;
    };
    return headers["traceparent"];
  };
  assert.equal(await upstreamSaw(inbound), inbound);
  const replaced = parseTraceparent(await upstreamSaw("00-zz-zz-01"));
  assert.equal(replaced?.isSampled, false);
});

test("a forwarded request is a span of the request's trace, and the app continues that span", async (t) => {
  const tracer = new RecordingTracer();
  const proxy = scene(t, { tracer });
  await proxy.start(
    app({ url: await proxy.upstream(echo), api: { routes: [route("/x", { id: "x" })] } }),
    app({ name: "gone", url: "http://127.0.0.1:1", api: { routes: [route("/x", { id: "x" })] } }),
  );
  const answer = await proxy.fetch("/api/apps/demo/x?secret=1", { headers: { traceparent: inbound } });
  await proxy.fetch("/api/apps/gone/x");
  await proxy.fetch("/api/apps/unknown/x");
  await proxy.logged(3);
  const [first, second, ...more] = tracer.spans;
  assert.equal((answer.json() as { headers: Record<string, string> }).headers["traceparent"], first?.traceparent);
  assert.deepEqual([first?.name, first?.options.parent, first?.options.kind], ["GET demo", inbound, "client"]);
  assert.deepEqual(first?.attributes, {
    "http.request.method": "GET",
    "appserver.app": "demo",
    "appserver.route": "x",
    "http.response.status_code": 200,
  });
  assert.match(String(second?.error), /cannot be reached/);
  assert.deepEqual([first?.ended, second?.ended, more.length], [1, 1, 0]);
});

test("a request has one trace: what the app gets, what is logged and what is reported at its end", async (t) => {
  const proxy = scene(t);
  const guarded = route("/guarded", { isPublic: false });
  await proxy.start(app({ url: await proxy.upstream(echo), api: { routes: [route("/x"), guarded] } }));
  const seen = (await proxy.fetch("/api/apps/demo/x?secret=1")).json() as { headers: Record<string, string> };
  await proxy.fetch("/api/apps/demo/guarded", { headers: { traceparent: inbound } });
  await proxy.logged(2);
  const [forwarded, refused] = proxy.handled;
  assert.equal(forwarded?.traceId, parseTraceparent(seen.headers["traceparent"])?.traceId);
  assert.deepEqual(
    [refused?.traceId, refused?.status, refused?.upstreamMs],
    [parseTraceparent(inbound)?.traceId, 401, undefined],
  );
  const lines = proxy.logger.lines.filter(({ message }) => message === "request");
  assert.deepEqual(
    lines.map(({ fields }) => fields["traceId"]),
    proxy.handled.map(({ traceId }) => traceId),
  );
  assert.ok(!JSON.stringify(proxy.handled).includes("secret"));
});
