import assert from "node:assert/strict";
import { test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { FakeClock, RecordingMetrics } from "@appserver/testing/kit";
import { exposeApps } from "./expose-apps.ts";

test("apps have one series each for their state, and one for each kind of fault, with the longest wait", async () => {
  const metrics = new RecordingMetrics();
  const clock = new FakeClock();
  const fault = (appName: string, seconds: number) =>
    ({
      appId: appName,
      appName,
      kind: "image_unavailable",
      message: "",
      since: new Date(clock.now() - seconds * 1_000),
      attempts: 1,
    }) as const;
  exposeApps(metrics, {
    apps: {
      all: () => [{ app: { name: "a", state: "RUNNING", asleepSince: new Date(0) } }, { app: { name: "b", state: "FAILED" } }],
    },
    deployments: { faults: async () => [fault("a", 900), fault("a", 30), fault("b", -5)] },
    clock,
  });
  assert.deepEqual(await metrics.readings(metricCatalogue.appState), [
    { labels: { app: "a", state: "RUNNING" }, value: 1 },
    { labels: { app: "b", state: "FAILED" }, value: 1 },
  ]);
  assert.deepEqual(await metrics.readings(metricCatalogue.appAsleep), [{ labels: { app: "a" }, value: 1 }]);
  assert.deepEqual(await metrics.readings(metricCatalogue.appFault), [
    { labels: { app: "a", kind: "image_unavailable" }, value: 900 },
    { labels: { app: "b", kind: "image_unavailable" }, value: 0 },
  ]);
});
