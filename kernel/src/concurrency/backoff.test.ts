import assert from "node:assert/strict";
import { test } from "node:test";
import { backoffMs } from "./backoff.ts";

test("the pause doubles with each failure up to the longest", () => {
  const pauses = [1, 2, 3, 4, 5, 2_000].map((failures) => backoffMs(failures, { firstMs: 100, maxMs: 500 }));
  assert.deepEqual(pauses, [100, 200, 400, 500, 500, 500]);
});

test("jitter makes a pause shorter by at most its part", () => {
  const pauses = Array.from({ length: 200 }, () => backoffMs(2, { firstMs: 50, maxMs: 500, jitter: 0.25 }));
  assert.ok(pauses.every((ms) => ms > 75 && ms <= 100));
  assert.ok(new Set(pauses).size > 1);
});
