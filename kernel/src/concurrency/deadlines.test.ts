import assert from "node:assert/strict";
import { test } from "node:test";
import { SystemClock } from "../clock.ts";
import { Deadlines, type PendingDeadline } from "./deadlines.ts";

const clock = new SystemClock();

function deadline(inMs: number): PendingDeadline & { readonly at: number[] } {
  const at: number[] = [];
  return { dueAt: performance.now() + inMs, place: -1, at, onDue: () => at.push(performance.now()) };
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
    place: -1,
    onDue: () => {
      times += 1;
      again.dueAt = performance.now() + 10;
      if (times < 3) deadlines.add(again);
    },
  };
  deadlines.add(again);
  while (times < 3) await clock.sleep(5);
});

test("one that is due may remove others that are due", async () => {
  const deadlines = new Deadlines(5);
  const [last, kept] = [deadline(0), deadline(1)];
  const first: PendingDeadline = { dueAt: performance.now(), place: -1, onDue: () => deadlines.remove(last) };
  for (const each of [first, last, kept]) deadlines.add(each);
  while (kept.at.length === 0) await clock.sleep(5);
  assert.deepEqual([first.place, last.place, kept.place, last.at.length], [-1, -1, -1, 0]);
  deadlines.add(kept);
  deadlines.add(kept);
  deadlines.remove(kept);
  deadlines.remove(kept);
  assert.equal(kept.place, -1);
});
