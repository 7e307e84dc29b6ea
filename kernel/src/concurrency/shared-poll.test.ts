import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { SharedPoll } from "./shared-poll.ts";

function counted(clock: FakeClock, fails: (reads: number) => boolean = () => false) {
  const reads: string[] = [];
  const poll = new SharedPoll({
    clock,
    intervalMs: 500,
    read: async (key) => {
      reads.push(key);
      if (fails(reads.length)) throw new Error("away");
      return `${key} ${reads.length}`;
    },
  });
  return { poll, reads };
}

async function collect(values: AsyncIterable<string>, into: string[]): Promise<void> {
  for await (const value of values) into.push(value);
}

test("all watchers of a key share one read per interval, and another key has its own", async () => {
  const clock = new FakeClock();
  const { poll, reads } = counted(clock);
  const over = new AbortController();
  const [first, second, other]: [string[], string[], string[]] = [[], [], []];
  const watching = [collect(poll.watch("a", over.signal), first)];
  await clock.advance(0);
  await clock.advance(200);
  watching.push(collect(poll.watch("a", over.signal), second), collect(poll.watch("b", over.signal), other));
  await clock.advance(0);
  assert.deepEqual([first, second, other], [["a 1"], ["a 1"], ["b 2"]]);
  await clock.advance(300);
  assert.deepEqual(
    [first, second],
    [
      ["a 1", "a 3"],
      ["a 1", "a 3"],
    ],
  );
  await clock.advance(500);
  assert.deepEqual(reads, ["a", "b", "a", "b", "a"]);
  over.abort();
  await Promise.all(watching);
  assert.equal(clock.sleeping, 0);
});

test("nothing is read after the last watcher has left, and a later one gets a new value", async () => {
  const clock = new FakeClock();
  const { poll, reads } = counted(clock);
  for await (const value of poll.watch("a", new AbortController().signal)) {
    assert.equal(value, "a 1");
    break;
  }
  await clock.advance(5_000);
  assert.equal(reads.length, 1);
  for await (const value of poll.watch("a", new AbortController().signal)) {
    assert.equal(value, "a 2");
    break;
  }
});

test("a failed read ends its watchers, and the next watcher reads again", async () => {
  const clock = new FakeClock();
  const { poll } = counted(clock, (reads) => reads === 1);
  const { signal } = new AbortController();
  const [one, two] = [poll.watch("a", signal), poll.watch("a", signal)];
  await Promise.all([assert.rejects(one.next(), /away/), assert.rejects(two.next(), /away/)]);
  assert.equal((await poll.watch("a", signal).next()).value, "a 2");
});

test("a read that takes longer than the interval is shared, and the next one starts an interval after its end", async () => {
  const clock = new FakeClock();
  const starts: number[] = [];
  let running = 0;
  const poll = new SharedPoll({
    clock,
    intervalMs: 500,
    read: async () => {
      starts.push(clock.monotonic());
      running += 1;
      assert.equal(running, 1, "two reads of one key run at the same time");
      await clock.sleep(700);
      running -= 1;
      return String(starts.length);
    },
  });
  const over = new AbortController();
  const [first, second]: [string[], string[]] = [[], []];
  const watching = [collect(poll.watch("a", over.signal), first)];
  await clock.advance(600);
  watching.push(collect(poll.watch("a", over.signal), second));
  await clock.advance(2_600);
  assert.deepEqual(starts, [0, 1_200, 2_400]);
  assert.deepEqual(
    [first, second],
    [
      ["1", "2", "3"],
      ["1", "2", "3"],
    ],
  );
  over.abort();
  await Promise.all(watching);
  assert.equal(clock.sleeping, 0);
});
