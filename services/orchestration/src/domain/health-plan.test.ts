import assert from "node:assert/strict";
import { test } from "node:test";
import { healthPlan } from "./health-plan.ts";

const options = { healthCheckIntervalMs: 60_000, healthCheckTimeoutMs: 20_000, healthCheckRetries: 10 };

test("the operator's options apply only to values that a manifest omits", () => {
  assert.deepEqual(healthPlan({ healthCheck: { path: "/health" } }, options), {
    path: "/health",
    intervalMs: 60_000,
    timeoutMs: 20_000,
    threshold: 10,
  });
  const declared = { path: "/health", intervalSeconds: 5, timeoutMs: 100, unhealthyThreshold: 2 };
  assert.deepEqual(healthPlan({ healthCheck: declared }, options), {
    path: "/health",
    intervalMs: 5_000,
    timeoutMs: 100,
    threshold: 2,
  });
});
