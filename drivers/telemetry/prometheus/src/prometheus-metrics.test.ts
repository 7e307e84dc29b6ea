import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { metricsSuite } from "../../metrics.suite.ts";
import { countOnce } from "../test/count-once.ts";
import { PrometheusMetrics } from "./prometheus-metrics.ts";

const clock = new SystemClock();

function createMetrics(ofProcess = false): PrometheusMetrics {
  return new PrometheusMetrics({ clock, logger: silentLogger, ofProcess });
}

metricsSuite("Prometheus", createMetrics, (body, name, labels = {}) => {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  for (const line of body.split("\n")) {
    const [, series, text = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (series !== name) continue;
    const given = text === "" ? [] : text.split(",");
    if (given.length === wanted.length && wanted.every((label) => given.includes(label))) return Number(value);
  }
  return undefined;
});

describe("Prometheus text", () => {
  test("contains the catalogue and the process's metrics", async () => {
    const metrics = createMetrics(true);
    for (const definition of Object.values(metricCatalogue)) countOnce(metrics, definition);
    const { body, contentType } = await metrics.expose();
    assert.equal(contentType, "text/plain; version=0.0.4; charset=utf-8");
    for (const { name } of Object.values(metricCatalogue)) assert.match(body, new RegExp(`^${name}[{_ ]`, "m"));
  });

  test("label values are escaped to one line each", async () => {
    const metrics = createMetrics();
    const odd = 'a"b\\c\nappserver_forged_total 1';
    metrics.counter(metricCatalogue.containerStarts).bind({ app: odd }).add();
    const { body } = await metrics.expose();
    assert.ok(body.includes('{app="a\\"b\\\\c\\nappserver_forged_total 1"} 1'));
    assert.doesNotMatch(body, /^appserver_forged_total/m);
  });

  test("the labels of the process are on every series", async () => {
    const metrics = new PrometheusMetrics({ clock, logger: silentLogger, labels: { worker: "2" } });
    for (const definition of Object.values(metricCatalogue)) countOnce(metrics, definition);
    const { body } = await metrics.expose();
    const series = body.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    assert.ok(series.length > Object.values(metricCatalogue).length);
    for (const line of series) assert.match(line, /^\w+\{(?:.*,)?worker="2"(?:,.*)?\} /);
  });

  test("the process reports its processor time, memory and event loop lag", async () => {
    const { body } = await createMetrics(true).expose();
    for (const name of ["process_cpu_seconds_total", "process_resident_memory_bytes", "nodejs_eventloop_lag_p99_seconds"]) {
      assert.match(body, new RegExp(`^${name} \\S`, "m"));
    }
  });
});
