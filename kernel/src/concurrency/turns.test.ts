import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Turns } from "./turns.ts";

test("a burst is spread over turns, in order", async () => {
  const turns = new Turns(2);
  const ran: number[] = [];
  for (let task = 1; task <= 5; task += 1) turns.run(() => ran.push(task));
  assert.deepEqual(ran, [1, 2], "what fits into a turn runs at once");
  await nextTurn();
  turns.run(() => ran.push(6));
  assert.deepEqual(ran, [1, 2, 3, 4], "a new task does not overtake those that wait");
  await nextTurn();
  assert.deepEqual(ran, [1, 2, 3, 4, 5, 6]);
});

test("a task in a later turn runs at once", async () => {
  const turns = new Turns(1);
  const ran: number[] = [];
  turns.run(() => ran.push(1));
  await nextTurn();
  turns.run(() => ran.push(2));
  assert.deepEqual(ran, [1, 2]);
});
