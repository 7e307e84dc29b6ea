import assert from "node:assert/strict";
import { test } from "node:test";
import { SystemClock } from "../clock.ts";
import { Deadlines, type PendingDeadline } from "./deadlines.ts";

const clock = new SystemClock();

interface Watched extends PendingDeadline {
  readonly addedAt: number;
  readonly at: number[];
}

function deadline(limitMs: number): Watched {
  const at: number[] = [];
  const addedAt = performance.now();
  return { limitMs, hasProgressed: true, dueAt: 0, place: -1, addedAt, at, onDue: () => at.push(performance.now()) };
}

test("a deadline is noticed once, and not before its time", async () => {
  const deadlines = new Deadlines(5);
  const [soon, progressing, removed, late] = [deadline(20), deadline(20), deadline(20), deadline(60_000)];
  for (const each of [soon, progressing, removed, late]) deadlines.add(each);
  deadlines.remove(removed);
  let progressedAt = 0;
  for (let times = 0; times < 20; times += 1) {
    progressedAt = performance.now();
    progressing.hasProgressed = true;
    await clock.sleep(5);
  }
  while (progressing.at.length === 0) await clock.sleep(5);
  assert.deepEqual([soon.at.length, progressing.at.length, removed.at.length, late.at.length], [1, 1, 0, 0]);
  assert.ok((soon.at[0] ?? 0) - soon.addedAt >= 20);
  assert.ok((progressing.at[0] ?? 0) - progressedAt >= 20);
  deadlines.remove(late);
});

test("one that has become due may add itself again", async () => {
  const deadlines = new Deadlines(5);
  let times = 0;
  const again: PendingDeadline = {
    ...deadline(10),
    onDue: () => {
      times += 1;
      if (times < 3) deadlines.add(again);
    },
  };
  deadlines.add(again);
  while (times < 3) await clock.sleep(5);
});

test("one that is due may remove another that is due, or make it progress", async () => {
  const deadlines = new Deadlines(5);
  const [removed, moved, last] = [deadline(0), deadline(0), deadline(0)];
  const first: PendingDeadline = {
    ...deadline(0),
    onDue: () => {
      deadlines.remove(removed);
      moved.hasProgressed = moved.at.length === 0;
    },
  };
  for (const each of [first, removed, moved, last]) deadlines.add(each);
  while (moved.at.length === 0) await clock.sleep(5);
  assert.deepEqual([first.place, removed.place, moved.place, last.place], [-1, -1, -1, -1]);
  assert.deepEqual([removed.at.length, moved.at.length, last.at.length], [0, 1, 1]);
});

test("adding and removing twice is as once", () => {
  const deadlines = new Deadlines(5);
  const [one, another] = [deadline(0), deadline(0)];
  for (const each of [one, one, another]) deadlines.add(each);
  deadlines.remove(one);
  deadlines.remove(one);
  assert.deepEqual([one.place, another.place], [-1, 0]);
  deadlines.remove(another);
  assert.equal(another.place, -1);
});
