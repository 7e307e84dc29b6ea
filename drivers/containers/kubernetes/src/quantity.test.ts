import assert from "node:assert/strict";
import { test } from "node:test";
import { quantityOf, secondsOf } from "./quantity.ts";

test("quantities and durations of Kubernetes are read, and nothing else is", () => {
  assert.deepEqual(["256Mi", "1024Ki", "1500000000n", "250m", "2", "0.5", "1e3", "1M"].map(quantityOf), [
    256 * 1_024 ** 2,
    1_024 ** 2,
    1.5,
    0.25,
    2,
    0.5,
    1_000,
    1e6,
  ]);
  assert.deepEqual(["", "-1", "1Xi", "Mi", "1 Mi"].map(quantityOf), Array(5).fill(undefined));
  assert.deepEqual(["15.5s", "1m30s", "1h0m0s", "500ms"].map(secondsOf), [15.5, 90, 3_600, 0.5]);
  assert.deepEqual(["", "5", "s", "1d", "-5s"].map(secondsOf), Array(5).fill(undefined));
});
