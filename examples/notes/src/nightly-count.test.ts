import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { nightlyCount } from "./nightly-count.ts";
import { NoteStore } from "./note-store.ts";

test("counts notes, days and words, and reports progress", async () => {
  const folder = await mkdtemp(join(tmpdir(), "notes-"));
  const store = await NoteStore.open(join(folder, "notes.jsonl"));
  await store.add("buy milk", "user:alice");
  await store.add("buy more milk", "user:alice");
  const reported: number[] = [];
  const run = { runId: "1", attempt: 1, input: undefined, signal: new AbortController().signal };
  const counted = await nightlyCount(store)({ ...run, progress: (fraction) => reported.push(fraction) });
  assert.deepEqual(counted, { notes: 2, days: 1, words: 5 });
  assert.deepEqual(reported, [0, 1]);
  const canceled = { ...run, input: { pauseMs: 60_000 }, signal: AbortSignal.abort(), progress: () => {} };
  await assert.rejects(async () => nightlyCount(store)(canceled), { name: "AbortError" });
  await store.close();
  await rm(folder, { recursive: true });
});
