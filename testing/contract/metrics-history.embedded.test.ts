import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually, type PlatformUnderTest, send, startPlatform } from "@appserver/testing/kit";
import { dataOf } from "./commands.ts";

interface Traffic {
  readonly requests: number;
  readonly errors: number;
  readonly refused: number;
  readonly p99Ms: number | null;
}
interface Metrics {
  readonly apps: readonly (Traffic & { readonly appName: string })[];
  readonly proxy: Traffic & {
    readonly series: readonly (Traffic & { readonly at: string })[];
    readonly routes: readonly (Traffic & { readonly route: string })[];
  };
  readonly resources: { readonly series: readonly object[] };
  readonly process: readonly { readonly process: string; readonly residentBytes: number }[];
  readonly sampledAt: string;
}

const app = "com.example.notes";

describe("metrics of the last hour", () => {
  let platform: PlatformUnderTest;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform?.stop());

  const metricsOf = async (query: string): Promise<Metrics> =>
    (
      await dataOf<{ readonly metrics: Metrics }>(
        platform,
        `{ metrics${query} { apps proxy resources hooks activities process sampledAt } }`,
      )
    ).metrics;

  test("count the requests to an app by route, with their durations, and show the processes", async () => {
    // The platform is shared with other files. Requests of theirs would leave a shorter window between the two queries.
    const lastHour = `(appName: "${app}", minutes: 60)`;
    const before = (await metricsOf(lastHour)).proxy.requests;
    for (let sent = 0; sent < 5; sent++)
      await send(platform.httpUrl, `/api/apps/${app}/notes`, { headers: platform.administrator });
    await send(platform.httpUrl, `/api/apps/${app}/notes`);
    const { apps, proxy } = await eventually(
      () => metricsOf(lastHour),
      (metrics) => metrics.proxy.requests >= before + 6,
    );
    assert.deepEqual(
      apps.map(({ appName }) => appName),
      [app],
    );
    assert.ok(proxy.refused >= 1, "the request without a session was refused");
    assert.ok(proxy.routes.length > 0 && proxy.p99Ms !== null && proxy.p99Ms > 0);
    const sum = proxy.series.reduce((all, { requests }) => all + requests, 0);
    assert.equal(sum, proxy.requests);
    const whole = await metricsOf("");
    assert.deepEqual([whole.proxy.routes, whole.process.length], [[], 1]);
    assert.ok((whole.process[0]?.residentBytes ?? 0) > 10_000_000);
    assert.ok(Math.abs(Date.parse(whole.sampledAt) - Date.now()) < 60_000);
  });

  test("are read for up to a day, without what is kept for an hour", async () => {
    const { proxy, resources } = await metricsOf(`(appName: "${app}", minutes: 1440)`);
    assert.deepEqual(proxy.routes, []);
    assert.ok(resources.series.length <= 288 + 1);
    await assert.rejects(metricsOf("(minutes: 1441)"), /1 to 1440/);
  });
});
