import assert from "node:assert/strict";
import { test } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { PrometheusMetrics } from "@appserver/telemetry-prometheus";
import { MetricsEndpoint } from "./metrics-endpoint.ts";

test("it serves metrics at /metrics and 404 on other paths", async () => {
  const metrics = new PrometheusMetrics({ clock: new SystemClock(), logger: silentLogger });
  metrics.counter({ kind: "counter", name: "starts_total", help: "Starts.", labels: [] }).bind({}).add(2);
  const endpoint = new MetricsEndpoint({ host: "127.0.0.1", port: 0, metrics });
  await endpoint.start();
  const url = `http://127.0.0.1:${endpoint.port}`;
  const answer = await fetch(`${url}/metrics`);
  assert.match(answer.headers.get("content-type") ?? "", /^text\/plain/);
  assert.match(await answer.text(), /^starts_total 2$/m);
  assert.equal((await fetch(`${url}/`)).status, 404);
  assert.equal((await fetch(`${url}/metrics`, { method: "POST" })).status, 404);
  await endpoint.stop();
});
