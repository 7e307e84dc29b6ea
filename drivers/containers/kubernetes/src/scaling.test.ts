import assert from "node:assert/strict";
import { test } from "node:test";
import { scalingOf } from "./scaling.ts";

test("a number of instances that may change has an autoscaler", () => {
  assert.deepEqual(Object.keys(scalingOf("a", { min: 2, max: 2 })), ["budget"]);
  const { autoscaler } = scalingOf("a", { min: 2, max: 6, cpuPercent: 50 });
  assert.partialDeepStrictEqual(autoscaler, { scaleTargetRef: { name: "a" }, minReplicas: 2, maxReplicas: 6 });
});
