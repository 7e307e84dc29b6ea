import assert from "node:assert/strict";
import { test } from "node:test";
import { statsIn } from "./read-stats.ts";

const cpu_stats = { cpu_usage: { total_usage: 2_500_000_000 } };
const memoryIn = (usage: number, stats: Readonly<Record<string, number>>): number | undefined =>
  statsIn({ cpu_stats, memory_stats: { usage, limit: 1_000, stats } })?.memoryBytes;

test("memory is what is used without inactive files, with both versions of cgroups, as `docker stats` shows it", () => {
  // cgroup v1 has both fields: the second one leaves out the processes of inner groups.
  assert.equal(memoryIn(700, { total_inactive_file: 200, inactive_file: 50 }), 500);
  assert.equal(memoryIn(700, { inactive_file: 100, file: 400 }), 600);
  assert.equal(memoryIn(700, {}), 700);
  assert.equal(memoryIn(700, { inactive_file: 900 }), 700);
});

test("the limit is in bytes, and processor time in seconds", () => {
  assert.deepEqual(statsIn({ cpu_stats, memory_stats: { usage: 700, limit: 1_000, stats: {} } }), {
    memoryBytes: 700,
    memoryLimitBytes: 1_000,
    cpuSeconds: 2.5,
  });
});

test("a container that does not run has no statistics", () => {
  assert.equal(statsIn({ cpu_stats: { cpu_usage: { total_usage: 0 } }, memory_stats: {} }), undefined);
  assert.equal(statsIn({}), undefined);
});
