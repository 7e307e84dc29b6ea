import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { durationBucket, platformMigrations, SqlLeases, silentLogger } from "@appserver/kernel";
import { durationBounds, type MetricSample } from "@appserver/kernel/ports";
import { createTestDatabase, FakeClock, startTestPostgres, type TestDatabase, type TestPostgres } from "@appserver/testing/kit";
import { recordsMigrations } from "../migrations/index.ts";
import { SqlAppFigures } from "../src/adapters/sql-app-figures.ts";
import { SqlMetricHistory } from "../src/adapters/sql-metric-history.ts";
import { SqlUsageHistory } from "../src/adapters/sql-usage-history.ts";
import { readMetrics } from "../src/use-cases/read-metrics.ts";
import { FigureKeeper } from "../src/workers/figure-keeper.ts";

const [notes, shop] = ["com.example.notes", "com.example.shop"];
const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** Samples of as many requests, which took as many seconds. */
function requests(appName: string, count: number, seconds: number, more: Readonly<Record<string, number>> = {}) {
  const durations = new Array<number>(durationBounds.length + 1).fill(0);
  durations[durationBucket(seconds)] = count;
  const others = Object.entries(more).map(([name, value]): MetricSample => ({ appName, route: "", name, value }));
  return [{ appName, route: "", name: "requests", value: count, durations }, ...others];
}

describe("figures of apps", () => {
  let clock: FakeClock;
  let server: TestPostgres;
  let fixture: TestDatabase;
  let samples: SqlMetricHistory;
  let usage: SqlUsageHistory;
  let figures: SqlAppFigures;
  before(async () => {
    server = await startTestPostgres();
    fixture = await createTestDatabase(server);
    await fixture.database.migrate([...platformMigrations, ...recordsMigrations]);
  });
  beforeEach(async () => {
    const { database } = fixture;
    await database.query("truncate platform.metric_samples, platform.usage_samples, platform.app_figures, platform.leases");
    clock = new FakeClock(Date.parse("2026-01-02T12:00:00Z"));
    samples = new SqlMetricHistory(database, clock);
    usage = new SqlUsageHistory(database, clock);
    figures = new SqlAppFigures(database);
  });
  after(async () => {
    await fixture?.stop();
    await server?.stop();
  });

  const keeper = (holder: string): FigureKeeper =>
    new FigureKeeper({
      figures,
      leases: new SqlLeases({ database: fixture.database, holder }),
      clock,
      logger: silentLogger,
    });
  const day = (appName?: string) => {
    const call = {
      caller: { kind: "user", id: "alice", displayName: "Alice" } as const,
      requestId: "request",
      traceparent: undefined,
      signal: new AbortController().signal,
    };
    const permissions = { allowed: async () => true };
    return readMetrics({ metricHistory: samples, usage, figures, permissions, clock }, { appName, minutes: 1_440 }, call);
  };
  const times = (series: readonly { readonly at: Date }[]): readonly string[] =>
    series.map(({ at }) => at.toISOString().slice(11, 16));

  test("are the sums of all processes in steps of 5 minutes, with percentiles over them", async () => {
    await samples.append("server 1", requests(notes, 18, 0.004, { errors: 2, refused: 1, limited: 1 }));
    await samples.append("server 2", [...requests(notes, 2, 0.4), ...requests(shop, 1, 0.004)]);
    await usage.append([{ appName: notes, cpu: 0.2, memoryBytes: 10, databaseBytes: 5 }]);
    await clock.advance(30 * second);
    await usage.append([{ appName: notes, cpu: 0.4, memoryBytes: 30, databaseBytes: 6 }]);
    await clock.advance(5 * minute);
    await samples.append("server 1", requests(notes, 1, 0.004));
    await keeper("a").turn();
    const { proxy, resources } = await day(notes);
    assert.deepEqual(times(proxy.series), ["12:00", "12:05"]);
    const [first] = proxy.series;
    assert.deepEqual([first?.requests, first?.errors, first?.refused, first?.limited], [20, 2, 1, 1]);
    assert.ok((first?.p50Ms ?? 0) <= 5 && (first?.p95Ms ?? 0) > 250, JSON.stringify(first));
    assert.equal(proxy.requests, 21);
    const [used] = resources.series;
    assert.deepEqual([used?.memoryBytes, used?.databaseBytes], [30, 6]);
    assert.ok(Math.abs((used?.cpu ?? 0) - 0.3) < 1e-9);
    const whole = await day();
    assert.deepEqual(
      whole.apps.map(({ appName, requests: count }) => [appName, count]),
      [
        [notes, 21],
        [shop, 1],
      ],
    );
    assert.deepEqual([whole.proxy.requests, whole.resources.series], [22, []]);
  });

  test("are the same after a repeated turn, and grow with later samples of their step", async () => {
    await samples.append("server 1", requests(notes, 3, 0.004));
    const first = keeper("a");
    for (let turn = 0; turn < 3; turn += 1) await first.turn();
    assert.equal((await day(notes)).proxy.requests, 3);
    await samples.append("server 2", requests(notes, 4, 0.004));
    await first.turn();
    assert.equal((await day(notes)).proxy.requests, 7);
  });

  test("stay as they were if the database has lost the samples in a crash", async () => {
    await samples.append("server 1", requests(notes, 3, 0.004));
    await keeper("a").turn();
    await fixture.database.query("truncate platform.metric_samples");
    await samples.append("server 1", requests(notes, 1, 0.004));
    await keeper("b").turn();
    assert.equal((await day(notes)).proxy.requests, 3);
  });

  test("are computed by one process, by another one after its end, and by it for the time without any", async () => {
    const [first, other] = [keeper("a"), keeper("b")];
    await samples.append("server 1", requests(notes, 1, 0.004));
    await first.turn();
    await samples.append("server 1", requests(notes, 1, 0.004));
    await other.turn();
    assert.equal((await day(notes)).proxy.requests, 1);
    await first.stop();
    await clock.advance(40 * minute);
    await other.turn();
    assert.equal((await day(notes)).proxy.requests, 2);
  });

  test("are kept for 24 hours", async () => {
    await samples.append("server 1", requests(notes, 1, 0.004));
    const only = keeper("a");
    await only.turn();
    await clock.advance(24 * hour + minute);
    await samples.append("server 1", requests(shop, 1, 0.004));
    await only.turn();
    const { rows } = await fixture.database.query<{ app_name: string }>("select app_name from platform.app_figures");
    assert.deepEqual(rows, [{ app_name: shop }]);
  });

  test("go with their app, and do not come back from its samples", async () => {
    for (const name of [notes, shop]) {
      await samples.append("server 1", requests(name, 1, 0.004));
      await usage.append([{ appName: name, memoryBytes: 1 }]);
    }
    const only = keeper("a");
    await only.turn();
    await figures.remove(notes);
    await only.turn();
    assert.deepEqual(
      (await day()).apps.map(({ appName }) => appName),
      [shop],
    );
    assert.deepEqual((await day(notes)).resources.series, []);
  });
});
