import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Batches } from "./batches.ts";

describe("batches", () => {
  test("what comes while one is under way goes together, in order, each with its own result", async () => {
    const seen: (readonly number[])[] = [];
    const first = Promise.withResolvers<void>();
    const batches = new Batches<number, number>(
      async (items) => {
        seen.push(items);
        if (seen.length === 1) await first.promise;
        return items.map((item) => item * 10);
      },
      { maxItems: 3 },
    );
    const one = batches.add(1);
    await Promise.resolve();
    await Promise.resolve();
    const others = [2, 3, 4, 5].map((item) => batches.add(item));
    first.resolve();
    assert.equal(await one, 10);
    assert.deepEqual(await Promise.all(others), [20, 30, 40, 50]);
    assert.deepEqual(seen, [[1], [2, 3, 4], [5]]);
  });

  test("a failure is everybody's of that batch and nobody's of the next", async () => {
    let fail = true;
    const batches = new Batches<string, string>(
      async (items) => {
        if (fail) throw new Error("away");
        return items;
      },
      { maxItems: 10 },
    );
    const failed = await Promise.allSettled([batches.add("a"), batches.add("b")]);
    assert.deepEqual(
      failed.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    fail = false;
    assert.equal(await batches.add("c"), "c");
  });

  test("who waits behind a batch that hangs has an answer at the deadline, and is left out of the next", async () => {
    const seen: (readonly number[])[] = [];
    const hanging = Promise.withResolvers<void>();
    const batches = new Batches<number, number>(
      async (items) => {
        seen.push(items);
        if (seen.length === 1) await hanging.promise;
        return items;
      },
      { maxItems: 10, deadlineMs: 500 },
    );
    const first = batches.add(1);
    await new Promise((resolve) => setImmediate(resolve));
    const failed = await Promise.allSettled([first, batches.add(2)]);
    assert.deepEqual(
      failed.map((each) => each.status === "rejected" && each.reason.code),
      ["SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE"],
    );
    hanging.resolve();
    assert.equal(await batches.add(3), 3);
    assert.deepEqual(seen, [[1], [3]]);
  });

  test("a batch is no heavier than allowed, but one item alone may be", async () => {
    const seen: number[] = [];
    const batches = new Batches<number, void>(
      async (items) => {
        seen.push(items.length);
        return items.map(() => undefined);
      },
      { maxItems: 10, maxWeight: 5, weigh: (item) => item },
    );
    await Promise.all([9, 2, 3, 1].map((item) => batches.add(item)));
    assert.deepEqual(seen, [1, 2, 1]);
  });
});
