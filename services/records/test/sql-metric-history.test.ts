import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { type Caller, durationBucket, durationQuantile, platformMigrations, silentLogger } from "@appserver/kernel";
import { durationBounds, type MetricSample } from "@appserver/kernel/ports";
import {
  createTestDatabase,
  eventually,
  FakeClock,
  RecordingMetrics,
  rejectsWith,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import { recordsMigrations } from "../migrations/index.ts";
import { CounterSamples } from "../src/adapters/counter-samples.ts";
import { ProcessSamples } from "../src/adapters/process-samples.ts";
import { SqlAppFigures } from "../src/adapters/sql-app-figures.ts";
import { SqlMetricHistory } from "../src/adapters/sql-metric-history.ts";
import { SqlUsageHistory } from "../src/adapters/sql-usage-history.ts";
import { readMetrics } from "../src/use-cases/read-metrics.ts";
import { MetricSampler } from "../src/workers/metric-sampler.ts";

const alice: Caller = { kind: "user", id: "alice", displayName: "Alice" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
const [notes, shop] = ["com.example.notes", "com.example.shop"];

/** Samples of requests that took these seconds. */
function requests(appName: string, route: string, seconds: readonly number[], more: Readonly<Record<string, number>> = {}) {
  const durations = new Array<number>(durationBounds.length + 1).fill(0);
  for (const each of seconds) durations[durationBucket(each)] = (durations[durationBucket(each)] ?? 0) + 1;
  const others = Object.entries(more).map(([name, value]): MetricSample => ({ appName, route, name, value }));
  return [{ appName, route, name: "requests", value: seconds.length, durations }, ...others];
}

test("a quantile lies within the bucket of its rank", () => {
  const counts = new Array<number>(durationBounds.length + 1).fill(0);
  assert.equal(durationQuantile(counts, 0.5), null);
  counts[durationBucket(0.02)] = 100;
  const median = durationQuantile(counts, 0.5) ?? 0;
  assert.ok(median > 0.01 && median <= 0.025, String(median));
  counts[durationBucket(60)] = 900;
  assert.equal(durationQuantile(counts, 0.99), 30);
});

test("a counter gives its growth, also after a restart at 0", () => {
  const metrics = new RecordingMetrics();
  const definition = { name: "test_total", kind: "counter", labels: ["app"], help: "" } as const;
  const source = new CounterSamples(
    () => metrics.totals(definition),
    ({ app }) => ({ appName: app, name: "counted" }),
  );
  const taken = () => source.takeSamples().map(({ appName, value }) => [appName, value]);
  metrics.counter(definition).bind({ app: notes }).add(3);
  assert.deepEqual([taken(), taken()], [[[notes, 3]], []]);
  metrics.counter(definition).bind({ app: notes }).add(2);
  assert.deepEqual(taken(), [[notes, 2]]);
  metrics.remove({ app: notes });
  metrics.counter(definition).bind({ app: notes }).add(1);
  assert.deepEqual(taken(), [[notes, 1]]);
});

describe("history of metrics", () => {
  let clock: FakeClock;
  let server: TestPostgres;
  let fixture: TestDatabase;
  let history: SqlMetricHistory;
  before(async () => {
    server = await startTestPostgres();
    fixture = await createTestDatabase(server);
    await fixture.database.migrate([...platformMigrations, ...recordsMigrations]);
  });
  beforeEach(async () => {
    await fixture.database.query("truncate platform.metric_samples");
    clock = new FakeClock();
    history = new SqlMetricHistory(fixture.database, clock);
  });
  after(async () => {
    await fixture?.stop();
    await server?.stop();
  });

  const read = (request: Parameters<typeof readMetrics>[1], caller = alice) => {
    const permissions = {
      allowed: async (asking: Caller, permission: string) => asking === alice && permission === "metrics:view",
    };
    const call = { caller, requestId: "request", traceparent: undefined, signal: new AbortController().signal };
    const [usage, figures] = [new SqlUsageHistory(fixture.database, clock), new SqlAppFigures(fixture.database)];
    return readMetrics({ metricHistory: history, usage, figures, permissions, clock }, request, call);
  };

  test("adds up the processes, by app, by route and over time", async () => {
    await history.append("a", requests(notes, "list", [0.004, 0.004, 0.2], { errors: 1 }));
    await history.append("b", [...requests(notes, "add", [0.3]), ...requests(shop, "", [0.004], { refused: 1, limited: 1 })]);
    await clock.advance(10_000);
    await history.append("a", requests(notes, "list", [0.004]));
    const whole = await read({});
    assert.deepEqual(
      whole.apps.map(({ appName, requests: count, errors, refused, limited }) => [appName, count, errors, refused, limited]),
      [
        [notes, 5, 1, 0, 0],
        [shop, 1, 0, 1, 1],
      ],
    );
    assert.deepEqual([whole.proxy.requests, whole.proxy.errors, whole.proxy.routes], [6, 1, []]);
    const ofNotes = await read({ appName: notes, minutes: 5 });
    assert.deepEqual(
      ofNotes.proxy.routes.map(({ route, requests: count }) => [route, count]),
      [
        ["list", 4],
        ["add", 1],
      ],
    );
    assert.deepEqual(
      ofNotes.proxy.series.map(({ requests: count }) => count),
      [4, 1],
    );
    const { p50Ms, p99Ms } = ofNotes.proxy;
    assert.ok(p50Ms !== null && p50Ms > 2.5 && p50Ms <= 5 && p99Ms !== null && p99Ms > 250 && p99Ms <= 500);
  });

  test("counts of hooks and activities, and the processes that are alive", async () => {
    const counted = (name: string, value: number): MetricSample => ({ appName: notes, route: "", name, value });
    await history.append("gone", new ProcessSamples({ kind: "worker", version: "1.2.3" }).takeSamples());
    await clock.advance(90_000);
    await history.append("a", [
      counted("hooks.delivered", 2),
      counted("activities.failed", 1),
      ...new ProcessSamples({ kind: "worker", version: "1.2.3" }).takeSamples(),
    ]);
    await history.append("b", [counted("hooks.delivered", 3)]);
    const { hooks, activities, processes, sampledAt } = await read({});
    assert.deepEqual([hooks, activities], [{ delivered: 5 }, { failed: 1 }]);
    assert.deepEqual(Object.keys(processes[0] ?? {}).sort(), [
      "cpuSeconds",
      "eventLoopUtilization",
      "heapUsedBytes",
      "kind",
      "process",
      "residentBytes",
      "startedAt",
      "version",
    ]);
    assert.deepEqual([processes[0]?.["kind"], processes[0]?.["version"]], ["worker", "1.2.3"]);
    assert.ok(Date.parse(String(processes[0]?.["startedAt"])) <= Date.now());
    assert.deepEqual([processes.length, processes[0]?.["process"], sampledAt.getTime()], [1, "a", clock.now()]);
  });

  test("samples older than an hour go with the next ones", async () => {
    await history.append("a", requests(notes, "", [1]));
    await clock.advance(3_600_001);
    await history.append("a", requests(shop, "", [1]));
    const { rows } = await fixture.database.query<{ app_name: string }>("select app_name from platform.metric_samples");
    assert.deepEqual(rows, [{ app_name: shop }]);
  });

  test("a sampler stores what its sources counted at each interval, and continues after a failure", async () => {
    const stored: MetricSample[][] = [];
    let failures = 1;
    const sampler = new MetricSampler({
      process: "machine:1",
      history: {
        append: async (_, samples) => {
          if (failures-- > 0) throw new Error("the database is unreachable");
          stored.push([...samples]);
        },
      },
      sources: [{ takeSamples: () => requests(notes, "", [1]) }],
      clock,
      logger: silentLogger,
    });
    sampler.start();
    await eventually(async () => {
      await clock.advance(10_000);
      assert.equal(stored.length, 2);
    });
    await sampler.stop();
    assert.deepEqual(
      stored[0]?.map(({ name }) => name),
      ["requests"],
    );
  });

  test("needs metrics:view, and 1 to 1440 minutes", async () => {
    await assert.rejects(read({}, bob), rejectsWith("PERMISSION_DENIED", /metrics:view/));
    for (const minutes of [0, 1_441, -1]) await assert.rejects(read({ minutes }), rejectsWith("INVALID_REQUEST", /1 to 1440/));
  });
});
