import assert from "node:assert/strict";
import { test } from "node:test";
import { DropHook, type Hook } from "@appserver/sdk";
import { LastNote, noteCreatedHook } from "./last-note.ts";

function hook(data: unknown): Hook {
  const of = { sourceApp: "com.example.notes", orderingKey: undefined, traceparent: undefined };
  return { id: "e", name: noteCreatedHook, data, triggeredAt: new Date(0), attempt: 1, ...of };
}

test("keeps the newest note despite repeated and late hooks; drops invalid hooks", () => {
  const last = new LastNote();
  assert.equal(last.latest, undefined);
  for (const [id, day] of [
    ["a", "01"],
    ["c", "03"],
    ["b", "02"],
    ["c", "03"],
  ])
    last.take(hook({ id, createdAt: `2026-01-${day}T00:00:00.000Z` }));
  assert.deepEqual(last.latest, { id: "c", createdAt: "2026-01-03T00:00:00.000Z" });
  for (const data of [null, 7, { id: "d" }]) assert.throws(() => last.take(hook(data)), DropHook);
});

test("a page waits for the next note, at most for a time, and until the app stops", async () => {
  const last = new LastNote();
  const note = (id: string, day: string) => hook({ id, createdAt: `2026-01-${day}T00:00:00.000Z` });
  const first = last.after(undefined, 600_000);
  last.take(note("a", "01"));
  assert.equal((await first)?.id, "a");
  assert.equal((await last.after(undefined, 600_000))?.id, "a");
  assert.equal((await last.after("a", 1))?.id, "a");
  const second = last.after("a", 600_000);
  last.take(note("b", "02"));
  assert.equal((await second)?.id, "b");
  const third = last.after("b", 600_000);
  last.stop();
  assert.equal((await third)?.id, "b");
});
