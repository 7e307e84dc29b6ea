import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CounterDefinition, GaugeDefinition, HistogramDefinition, Metrics } from "@appserver/kernel/ports";

/** Returns the value of a series in an exposition; `series` is its name with its labels, as the driver writes them. */
export type ReadSeries = (body: string, name: string, labels?: Readonly<Record<string, string>>) => number | undefined;

const requests: CounterDefinition<"route" | "status"> = {
  name: "test_requests_total",
  kind: "counter",
  labels: ["route", "status"],
  help: "Requests.",
};
const open: GaugeDefinition<never> = { name: "test_open_things", kind: "gauge", labels: [], help: "Things open." };
const depth: GaugeDefinition<"queue"> = { name: "test_depth_events", kind: "gauge", labels: ["queue"], help: "Depth." };
const duration: HistogramDefinition<"app"> = {
  name: "test_duration_seconds",
  kind: "histogram",
  labels: ["app"],
  help: "Durations.",
  buckets: [0.1, 1],
};

/** Declares the tests that every metrics driver must pass. */
export function metricsSuite(name: string, open_: () => Metrics, read: ReadSeries): void {
  describe(`metrics: ${name}`, () => {
    it("counts by labels, in any order", async () => {
      const metrics = open_();
      const counter = metrics.counter(requests);
      counter.bind({ route: "/a", status: "2xx" }).add();
      counter.bind({ status: "2xx", route: "/a" }).add(2);
      counter.bind({ route: "/a", status: "5xx" }).add();
      const { body } = await metrics.expose();
      assert.equal(read(body, requests.name, { route: "/a", status: "2xx" }), 3);
      assert.equal(read(body, requests.name, { route: "/a", status: "5xx" }), 1);
    });

    it("returns one handle for the same labels, and one metric for the same definition", async () => {
      const metrics = open_();
      const handle = metrics.counter(requests).bind({ route: "/", status: "2xx" });
      assert.equal(metrics.counter({ ...requests }).bind({ route: "/", status: "2xx" }), handle);
      assert.throws(() => metrics.gauge({ ...open, name: requests.name }), /test_requests_total/);
      assert.throws(() => metrics.counter({ ...requests, labels: ["route"] }), /test_requests_total/);
    });

    it("returns what the handles of a counter have counted, without observers", () => {
      const metrics = open_();
      const counter = metrics.counter(requests);
      counter.bind({ route: "/a", status: "2xx" }).add(2);
      counter.bind({ route: "/b", status: "5xx" }).add();
      metrics.observe(requests, () => [{ labels: { route: "/a", status: "2xx" }, value: 7 }]);
      assert.deepEqual(metrics.totals(requests), [
        { labels: { route: "/a", status: "2xx" }, value: 2 },
        { labels: { route: "/b", status: "5xx" }, value: 1 },
      ]);
    });

    it("removed series disappear from every metric, and start again at 0", async () => {
      const metrics = open_();
      const counter = metrics.counter(requests);
      const kept = counter.bind({ route: "/kept", status: "2xx" });
      const gone = counter.bind({ route: "notes", status: "2xx" });
      const times = metrics.histogram(duration);
      for (const handle of [kept, gone]) handle.add(2);
      for (const app of ["notes", "clock"]) times.bind({ app }).observe(0.05);
      metrics.remove({ route: "notes" });
      metrics.remove({ app: "notes" });
      gone.add();
      const { body } = await metrics.expose();
      assert.equal(read(body, requests.name, { route: "notes", status: "2xx" }), undefined);
      assert.equal(read(body, requests.name, { route: "/kept", status: "2xx" }), 2);
      assert.equal(read(body, `${duration.name}_count`, { app: "notes" }), undefined);
      assert.equal(read(body, `${duration.name}_count`, { app: "clock" }), 1);
      counter.bind({ route: "notes", status: "2xx" }).add();
      assert.equal(read((await metrics.expose()).body, requests.name, { route: "notes", status: "2xx" }), 1);
    });

    it("a metric has a limited number of series: further values of the label with most of them are counted as other", async () => {
      const metrics = open_();
      const counter = metrics.counter({ ...requests, maxSeries: 10 });
      const add = (route: string, status: string): void => counter.bind({ route, status }).add();
      for (let number = 0; number < 1_000; number += 1) add(`/${number}`, number % 2 === 0 ? "2xx" : "5xx");
      add("/0", "2xx");
      const { body } = await metrics.expose();
      assert.equal(read(body, requests.name, { route: "/0", status: "2xx" }), 2);
      assert.equal(read(body, requests.name, { route: "/10", status: "2xx" }), undefined);
      assert.equal(read(body, requests.name, { route: "other", status: "2xx" }), 495);
      assert.equal(read(body, requests.name, { route: "other", status: "5xx" }), 495);
      assert.equal(metrics.totals(requests).length, 12);
    });

    it("values of several labels that callers make up end in one series", async () => {
      const metrics = open_();
      const counter = metrics.counter({ ...requests, maxSeries: 10 });
      for (let number = 0; number < 1_000; number += 1) counter.bind({ route: `/${number}`, status: `${number}` }).add();
      assert.ok(metrics.totals(requests).length <= 21);
      const { body } = await metrics.expose();
      assert.ok((read(body, requests.name, { route: "other", status: "other" }) ?? 0) > 900);
    });

    it("what is read on demand has the same limit, and values of labels have a length", async () => {
      const metrics = open_();
      const labels = Array.from({ length: 1_000 }, (_, number) => ({ queue: `${number}` }));
      metrics.observe({ ...depth, maxSeries: 10 }, () => labels.map((each) => ({ labels: each, value: 2 })));
      metrics
        .counter(requests)
        .bind({ route: "/".repeat(100_000), status: "2xx" })
        .add();
      const { body } = await metrics.expose();
      assert.equal(read(body, depth.name, { queue: "9" }), 2);
      assert.equal(read(body, depth.name, { queue: "other" }), 1_980);
      assert.ok(body.length < 100_000);
      assert.equal(read(body, requests.name, { route: "/".repeat(200), status: "2xx" }), 1);
    });

    it("gauges increase and decrease, and can be set", async () => {
      const metrics = open_();
      const gauge = metrics.gauge(open).bind({});
      gauge.add(3);
      gauge.add(-1);
      assert.equal(read((await metrics.expose()).body, open.name), 2);
      gauge.set(7);
      assert.equal(read((await metrics.expose()).body, open.name), 7);
    });

    it("histograms have cumulative buckets with inclusive bounds", async () => {
      const metrics = open_();
      const handle = metrics.histogram(duration).bind({ app: "notes" });
      for (const value of [0.05, 0.1, 0.5, 3]) handle.observe(value);
      const { body } = await metrics.expose();
      const bucket = (le: string): number | undefined => read(body, `${duration.name}_bucket`, { app: "notes", le });
      assert.deepEqual([bucket("0.1"), bucket("1"), bucket("+Inf")], [2, 3, 4]);
      assert.equal(read(body, `${duration.name}_count`, { app: "notes" }), 4);
      assert.ok(Math.abs((read(body, `${duration.name}_sum`, { app: "notes" }) ?? 0) - 3.65) < 1e-9);
    });

    it("observed gauges contain exactly the values read, and no older ones", async () => {
      const metrics = open_();
      let readings = [{ labels: { queue: "a" }, value: 4 }];
      metrics.observe(depth, () => readings);
      metrics.observe(depth, async () => [{ labels: { queue: "b" }, value: 1 }]);
      assert.equal(read((await metrics.expose()).body, depth.name, { queue: "a" }), 4);
      readings = [{ labels: { queue: "b" }, value: 2 }];
      const { body } = await metrics.expose();
      assert.equal(read(body, depth.name, { queue: "a" }), undefined);
      assert.equal(read(body, depth.name, { queue: "b" }), 3, "reads of one gauge add up");
    });

    it("an observed counter adds what is read to what was counted", async () => {
      const metrics = open_();
      let readings = [
        { labels: { route: "/", status: "2xx" }, value: 5 },
        { labels: { route: "/new", status: "2xx" }, value: 0 },
      ];
      metrics.observe(requests, () => readings);
      metrics.counter(requests).bind({ route: "/", status: "2xx" }).add(2);
      const counted = async (route: string) => read((await metrics.expose()).body, requests.name, { route, status: "2xx" });
      assert.deepEqual([await counted("/"), await counted("/new")], [7, 0]);
      readings = [];
      assert.deepEqual([await counted("/"), await counted("/new")], [2, undefined]);
    });

    it("a gauge that cannot be read does not affect the others", async () => {
      const metrics = open_();
      metrics.observe(depth, () => Promise.reject(new Error("away")));
      metrics.observe(open, () => {
        throw new Error("broken");
      });
      metrics.counter(requests).bind({ route: "/", status: "2xx" }).add();
      const { body } = await metrics.expose();
      assert.equal(read(body, requests.name, { route: "/", status: "2xx" }), 1);
      assert.equal(read(body, open.name), undefined);
    });

    it("a metric defined after the first exposition is in the next", async () => {
      const metrics = open_();
      await metrics.expose();
      metrics.counter(requests).bind({ route: "/late", status: "2xx" }).add();
      assert.equal(read((await metrics.expose()).body, requests.name, { route: "/late", status: "2xx" }), 1);
    });
  });
}
