import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { holds, median, quantile } from "./bench.ts";
import { performancePage, performancePicture, storedResults, toPerformancePage } from "./performance-page.ts";
import { toPerformancePicture } from "./performance-picture.ts";
import { regressions, toMarkdown, toResult } from "./report.ts";

const about = { bench: "hooks", work: "Nothing.", at: "2026-01-01", machine: "none", rounds: 3 };
const of = (samples: readonly number[], isRatio = true) =>
  toResult(about, { figures: [{ name: "ratio", unit: "×", samples, isRatio, target: { atMost: 2 } }], notes: ["a note"] });

test("medians and quantiles are measured values", () => {
  assert.deepEqual([median([3, 1, 2]), median([4, 1, 3, 2])], [2, 2]);
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.deepEqual([quantile(hundred, 0.99), quantile(hundred, 1), quantile([7], 0.99)], [99, 100, 7]);
});

test("targets may be minimums or maximums", () => {
  const figure = { name: "x", unit: "s", samples: [1, 2, 3] };
  assert.deepEqual(
    [holds(figure), holds({ ...figure, target: { atMost: 2 } }), holds({ ...figure, target: { atLeast: 2.1 } })],
    [true, true, false],
  );
});

test("a ratio that moved more than 15 % is reported; other figures are not compared", () => {
  assert.deepEqual(regressions(of([1.14]), of([1])), []);
  assert.match(regressions(of([1.2]), of([1])).join(), /ratio is 1.2, 20 % away/);
  assert.match(regressions(of([0.8]), of([1])).join(), /-20 %/);
  assert.deepEqual(regressions(of([5], false), of([1])), []);
});

test("the table has every figure with its target", () => {
  assert.match(toMarkdown(of([1, 1.5, 3])), /\| ratio \| 1.5 \| 1 \| 3 \| × \| ≤ 2 held \|[\s\S]*- a note/);
  assert.match(toMarkdown(of([3])), /\*\*missed\*\*/);
});

test("docs/performance.md and its picture have the stored results", () => {
  assert.equal(readFileSync(performancePage, "utf8"), toPerformancePage(storedResults()));
  assert.equal(readFileSync(performancePicture, "utf8"), toPerformancePicture(storedResults()));
});
