import assert from "node:assert/strict";
import test from "node:test";
import { mergeExpositions } from "./worker-metrics.ts";

test("series of all workers get a worker label, with one HELP and TYPE for each metric", () => {
  const of = (requests: number): string =>
    `# HELP requests_total Requests.\n# TYPE requests_total counter\nrequests_total{path="/{id}"} ${requests}\n\n` +
    `# HELP up Up.\n# TYPE up gauge\nup 1\n`;
  const merged = mergeExpositions([
    { worker: 1, text: of(3) },
    { worker: 2, text: of(4) },
  ]);
  assert.equal(
    merged,
    `# HELP requests_total Requests.\n# TYPE requests_total counter\nrequests_total{worker="1",path="/{id}"} 3\n` +
      `requests_total{worker="2",path="/{id}"} 4\n\n# HELP up Up.\n# TYPE up gauge\nup{worker="1"} 1\nup{worker="2"} 1\n`,
  );
});

test("a metric that only one worker has is included", () => {
  const merged = mergeExpositions([
    { worker: 1, text: "" },
    { worker: 2, text: "# HELP a A.\n# TYPE a gauge\na{} 1\n" },
  ]);
  assert.equal(merged, '# HELP a A.\n# TYPE a gauge\na{worker="2"} 1\n');
});
