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
