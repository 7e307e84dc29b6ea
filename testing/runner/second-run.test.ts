import assert from "node:assert/strict";
import test from "node:test";
import type { FileResult } from "./case-result.ts";
import { runFailedAgain } from "./second-run.ts";
import { describeRun } from "./summary.ts";

const passing = (file: string): FileResult => ({ file, seconds: 1, output: "", cases: [{ name: "works", outcome: "passed" }] });
const failing = (file: string): FileResult => ({
  ...passing(file),
  cases: [{ name: "works", outcome: "failed", error: "Error: too late\n    at once" }],
});

test("a file that fails once runs again, and the first failure stays visible", async () => {
  const ran: string[] = [];
  const results = await runFailedAgain([passing("a.test.ts"), failing("b.test.ts")], async (files) => {
    ran.push(...files);
    return files.map(passing);
  });
  assert.deepEqual(ran, ["b.test.ts"]);
  const { text, passed } = describeRun(results, true, 1);
  assert.equal(passed, true);
  assert.match(text, /passed in a second one:\n {2}b\.test\.ts: works\n {4}Error: too late\n/);
  assert.match(text, /\n2 passed, 0 failed, 0 skipped\n$/);
});

test("a file that fails twice has failed", async () => {
  const results = await runFailedAgain([failing("b.test.ts")], async (files) => files.map(failing));
  const { text, passed } = describeRun(results, true, 1);
  assert.equal(passed, false);
  assert.doesNotMatch(text, /second one/);
  assert.match(text, /Failed:\n {2}b\.test\.ts: works\n {4}Error: too late\n/);
});

test("fault tests, and the files of a phase in which many failed, run once", async () => {
  const many = ["a", "b", "c", "d", "e", "f"].map(failing);
  for (const results of [[failing("testing/faults/kills.test.ts")], many]) {
    const after = await runFailedAgain(results, () => assert.fail("it ran again"));
    assert.deepEqual(after, results);
  }
});
