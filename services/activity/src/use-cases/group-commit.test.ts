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
