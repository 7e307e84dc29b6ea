import assert from "node:assert/strict";
import { test } from "node:test";
import { GroupCommit } from "./group-commit.ts";

test("what arrives while a batch is under way becomes the next batch", async () => {
  const batches: number[][] = [];
  const gate = Promise.withResolvers<void>();
  const commit = new GroupCommit<number, number>(
    async (items) => {
      batches.push([...items]);
      if (batches.length === 1) await gate.promise;
      return items.map((item) => item * 10);
    },
    { maxItems: 3 },
  );
  const first = commit.run(1);
  await new Promise((resolve) => setImmediate(resolve));
  const others = [2, 3, 4, 5].map((item) => commit.run(item));
  gate.resolve();
  assert.deepEqual(await Promise.all([first, ...others]), [10, 20, 30, 40, 50]);
  assert.deepEqual(batches, [[1], [2, 3, 4], [5]]);
});

test("a bad item fails its own caller alone", async () => {
  const commit = new GroupCommit<number, number>(
    async (items) => {
      if (items.includes(2)) throw new Error("two");
      return items;
    },
    { maxItems: 10 },
  );
  const results = await Promise.allSettled([1, 2, 3].map((item) => commit.run(item)));
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
});

test("heavy items do not go together", async () => {
  const sizes: number[] = [];
  const commit = new GroupCommit<number, number>(
    async (items) => {
      sizes.push(items.length);
      return items;
    },
    { maxItems: 10, maxWeight: 10, weigh: (item) => item },
  );
  await Promise.all([4, 4, 20, 1].map((item) => commit.run(item)));
  assert.deepEqual(sizes, [2, 1, 1]);
});

test("who waits behind a batch that hangs has an answer at the deadline, and is left out of the next", async () => {
  const batches: number[][] = [];
  const hanging = Promise.withResolvers<void>();
  const commit = new GroupCommit<number, number>(
    async (items) => {
      batches.push([...items]);
      if (batches.length === 1) await hanging.promise;
      return items;
    },
    { maxItems: 3, deadlineMs: 500 },
  );
  const first = commit.run(1);
  await new Promise((resolve) => setImmediate(resolve));
  const failed = await Promise.allSettled([first, commit.run(2)]);
  assert.deepEqual(
    failed.map((each) => each.status === "rejected" && each.reason.code),
    ["SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE"],
  );
  hanging.resolve();
  assert.equal(await commit.run(3), 3);
  assert.deepEqual(batches, [[1], [3]]);
});
