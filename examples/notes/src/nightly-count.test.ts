import assert from "node:assert/strict";
import test from "node:test";
import { nightlyCount } from "./nightly-count.ts";
import { startNotesDatabase } from "./notes-database.suite.ts";

test("counts notes, days and words, and reports progress", async (t) => {
  const database = await startNotesDatabase();
  t.after(() => database.stop());
  const store = await database.open();
  await store.add("buy milk", "user:alice");
  await store.add("buy more milk", "user:alice");
  const reported: number[] = [];
  const run = { runId: "1", attempt: 1, input: undefined, traceparent: undefined, signal: new AbortController().signal };
  const counted = await nightlyCount(store)({ ...run, progress: (fraction) => reported.push(fraction) });
  assert.deepEqual(counted, { notes: 2, days: 1, words: 5 });
  assert.deepEqual(reported, [0, 1]);
  const canceled = { ...run, input: { pauseMs: 60_000 }, signal: AbortSignal.abort(), progress: () => {} };
  await assert.rejects(async () => nightlyCount(store)(canceled), { name: "AbortError" });
});
