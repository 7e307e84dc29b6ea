import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { forEachLimited } from "./for-each-limited.ts";

test("each item is worked on once, in order, and never more than the limit at a time", async () => {
  const seen: number[] = [];
  let running = 0;
  let most = 0;
  const items = Array.from({ length: 50 }, (_, index) => index);
  await forEachLimited(items, 4, async (item) => {
    seen.push(item);
    running += 1;
    most = Math.max(most, running);
    for (let wait = item % 3; wait >= 0; wait -= 1) await turn();
    running -= 1;
  });
  assert.deepEqual([seen, most, running], [items, 4, 0]);
});

test("a long call does not hold up the others", async () => {
  const long = Promise.withResolvers<void>();
  const done: number[] = [];
  const all = forEachLimited([1, 2, 3, 4], 2, async (item) => {
    if (item === 1) await long.promise;
    done.push(item);
  });
  while (done.length < 3) await turn();
  long.resolve();
  await all;
  assert.deepEqual(done, [2, 3, 4, 1]);
});

test("after an error no further call starts, and those that run end first", async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const all = forEachLimited([1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item);
    if (item === 2) throw new Error("broken");
    await turn();
    ended.push(item);
  });
  await assert.rejects(all, { message: "broken" });
  assert.deepEqual([begun, ended], [[1, 2], [1]]);
});

test("without items nothing is called", async () => {
  await forEachLimited([], 4, () => assert.fail("called"));
});
