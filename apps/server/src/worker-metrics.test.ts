import assert from "node:assert/strict";
import test from "node:test";
import { mergeExpositions } from "./worker-metrics.ts";

test("series of all workers are merged, with one HELP and TYPE for each metric", () => {
  const of = (worker: number, requests: number): string =>
    `# HELP requests_total Requests.\n# TYPE requests_total counter\n` +
    `requests_total{worker="${worker}",path="/{id}"} ${requests}\n\n` +
    `# HELP up Up.\n# TYPE up gauge\nup{worker="${worker}"} 1\n`;
  const merged = mergeExpositions([of(1, 3), of(2, 4)]);
  assert.equal(
    merged,
    `# HELP requests_total Requests.\n# TYPE requests_total counter\nrequests_total{worker="1",path="/{id}"} 3\n` +
      `requests_total{worker="2",path="/{id}"} 4\n\n# HELP up Up.\n# TYPE up gauge\nup{worker="1"} 1\nup{worker="2"} 1\n`,
  );
});

test("a metric that only one worker has is included", () => {
  const merged = mergeExpositions(["", '# HELP a A.\n# TYPE a gauge\na{worker="2"} 1\n']);
  assert.equal(merged, '# HELP a A.\n# TYPE a gauge\na{worker="2"} 1\n');
});
