import assert from "node:assert/strict";
import { test } from "node:test";
import { HitBatches } from "./hit-batches.ts";

const windows = [{ limit: 5, windowMs: 1_000 }];

interface Call {
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly reply: (values: readonly number[]) => void;
  readonly fail: (error: Error) => void;
}

function recorded(): { readonly calls: Call[]; readonly batches: HitBatches } {
  const calls: Call[] = [];
  const run = (keys: readonly string[], args: readonly string[]) =>
    new Promise<unknown>((reply, fail) => calls.push({ keys, args, reply, fail }));
  return { calls, batches: new HitBatches(run) };
}

test("hits that come during a call share the next one, each with its own result", async () => {
  const { calls, batches } = recorded();
  const first = batches.count("a", windows);
  const others = [batches.count("b", windows), batches.count("a", windows), batches.count("b", windows)];
  assert.deepEqual(
    calls.map(({ keys }) => keys),
    [["a"]],
  );
  calls[0]?.reply([1, 0, 4, 1_000_000]);
  assert.deepEqual(await first, { allowed: true, window: 0, remaining: 4, resetMs: 1_000 });
  await new Promise(setImmediate);
  const [, { keys, args, reply } = assert.fail("no second call")] = calls;
  assert.deepEqual(
    [keys, args],
    [
      ["b", "a"],
      ["1", "1", "5", "1000000", "2", "1", "5", "1000000", "1", "1", "5", "1000000"],
    ],
  );
  reply([1, 0, 3, 1_000, 0, 0, 0, 2_000, 1, 0, 2, 3_000]);
  assert.deepEqual(
    (await Promise.all(others)).map(({ allowed, resetMs }) => [allowed, resetMs]),
    [
      [true, 1],
      [false, 2],
      [true, 3],
    ],
  );
});

test("a failed or senseless reply rejects the hits of its call only", async () => {
  const { calls, batches } = recorded();
  const failing = batches.count("a", windows);
  const next = batches.count("b", windows);
  calls[0]?.fail(new Error("lost"));
  await assert.rejects(failing, /lost/);
  await new Promise(setImmediate);
  calls[1]?.reply([1, 0]);
  await assert.rejects(next, TypeError);
  const later = batches.count("a", windows);
  await new Promise(setImmediate);
  calls[2]?.reply([1, 0, 4, 0]);
  assert.equal((await later).allowed, true);
});
