import assert from "node:assert/strict";
import { test } from "node:test";
import { duration, latency } from "../web/parts/duration.ts";

test("a length of time has the unit that suits it", () => {
  assert.deepEqual([-3, 0.4, 999, 3_249, 59_940, 125_000, 3_600_000, 93_784_000].map(duration), [
    "0 ms",
    "0 ms",
    "999 ms",
    "3.2 s",
    "59.9 s",
    "2 min 5 s",
    "1 h 0 min",
    "26 h 3 min",
  ]);
});

test("a short time of a request has tenths of milliseconds", () => {
  assert.deepEqual([0.26, 9.94, 10.4, 1_520].map(latency), ["0.3 ms", "9.9 ms", "10 ms", "1.5 s"]);
});
