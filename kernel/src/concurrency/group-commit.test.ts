import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { GroupCommit } from "./group-commit.ts";

test("calls that arrive while a batch runs become the next batch", async () => {
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

test("an item that still waits can be withdrawn, one in a batch cannot", async () => {
  const batches: string[][] = [];
  const commit = new GroupCommit<string, string>(
    async (items) => {
      batches.push([...items]);
      return items;
    },
    { maxItems: 1 },
  );
  const results = ["first", "second", "third"].map((item) => commit.run(item));
  await new Promise((resolve) => setImmediate(resolve));
  commit.withdraw((item) => item !== "third", "withdrawn");
  assert.deepEqual(await Promise.all(results), ["first", "withdrawn", "third"]);
  assert.deepEqual(batches, [["first"], ["third"]]);
});

test("a bad item fails its own caller alone", async () => {
  const commit = new GroupCommit<number, number>(
    async (items) => {
      if (items.includes(2)) throw new Error("two");
      return items;
    },
    { maxItems: 10, isRetriedSingly: () => true },
  );
  const results = await Promise.allSettled([1, 2, 3].map((item) => commit.run(item)));
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
});

test("owners have turns: items of one that has many do not delay that of another", async () => {
  const batches: string[][] = [];
  const commit = new GroupCommit<string, string>(
    async (items) => {
      batches.push([...items]);
      return items;
    },
    { maxItems: 3, maxWeight: 40, weigh: (item) => Number(item.slice(1)), ownerOf: (item) => item.slice(0, 1) },
  );
  const results = ["a1", "a2", "a3", "a4", "a30", "b5", "c6", "c39"].map((item) => commit.run(item));
  await Promise.all(results);
  assert.deepEqual(batches, [["a1", "b5", "c6"], ["a2"], ["c39"], ["a3", "a4", "a30"]]);
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

test("a batch that is not taken apart fails every item of it, and none of the next", async () => {
  let isAway = true;
  const commit = new GroupCommit<string, string>(
    async (items) => {
      if (isAway) throw new Error("away");
      return items;
    },
    { maxItems: 10, isRetriedSingly: () => false },
  );
  const failed = await Promise.allSettled([commit.run("a"), commit.run("b")]);
  assert.deepEqual(
    failed.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  isAway = false;
  assert.equal(await commit.run("c"), "c");
});

test("an own way to gather runs before each batch", async () => {
  const clock = new FakeClock();
  const sizes: number[] = [];
  const commit = new GroupCommit<number, number>(
    async (items) => {
      sizes.push(items.length);
      return items;
    },
    { maxItems: 10, gather: () => clock.sleep(5) },
  );
  const first = commit.run(1);
  await clock.advance(4);
  const second = commit.run(2);
  await clock.advance(1);
  assert.deepEqual(await Promise.all([first, second]), [1, 2]);
  assert.deepEqual(sizes, [2]);
});

test("an item that waits behind a batch that hangs is rejected at the deadline, and left out of the next batch", async () => {
  const clock = new FakeClock();
  const batches: number[][] = [];
  const hanging = Promise.withResolvers<void>();
  const commit = new GroupCommit<number, number>(
    async (items) => {
      batches.push([...items]);
      if (batches.length === 1) await hanging.promise;
      return items;
    },
    { maxItems: 3, deadline: { clock, ms: 500 } },
  );
  const first = commit.run(1);
  await clock.advance(0);
  const failing = Promise.allSettled([first, commit.run(2)]);
  await clock.advance(500);
  assert.deepEqual(
    (await failing).map((each) => each.status === "rejected" && each.reason.code),
    ["SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE"],
  );
  hanging.resolve();
  assert.equal(await commit.run(3), 3);
  assert.deepEqual(batches, [[1], [3]]);
  assert.equal(clock.sleeping, 0);
});
