import assert from "node:assert/strict";
import { test } from "node:test";
import { SystemClock } from "../clock.ts";
import { Deadlines, type PendingDeadline } from "./deadlines.ts";

const clock = new SystemClock();

function deadline(inMs: number): PendingDeadline & { readonly at: number[] } {
  const at: number[] = [];
  return { dueAt: performance.now() + inMs, at, onDue: () => at.push(performance.now()) };
}

test("a deadline is noticed once, and not before its time", async () => {
  const deadlines = new Deadlines(5);
  const [soon, moved, removed, late] = [deadline(20), deadline(20), deadline(20), deadline(60_000)];
  for (const each of [soon, moved, removed, late]) deadlines.add(each);
  deadlines.remove(removed);
  moved.dueAt += 60;
  while (moved.at.length === 0) await clock.sleep(5);
  assert.deepEqual([soon.at.length, moved.at.length, removed.at.length, late.at.length], [1, 1, 0, 0]);
  for (const { at, dueAt } of [soon, moved]) assert.ok((at[0] ?? 0) >= dueAt);
  deadlines.remove(late);
});

test("one that has become due may add itself again", async () => {
  const deadlines = new Deadlines(5);
  let times = 0;
  const again: PendingDeadline = {
    dueAt: performance.now(),
    onDue: () => {
      times += 1;
      again.dueAt = performance.now() + 10;
      if (times < 3) deadlines.add(again);
    },
  };
  deadlines.add(again);
  while (times < 3) await clock.sleep(5);
});
