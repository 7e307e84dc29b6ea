import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { every } from "./every.ts";

const unexpected = (error: unknown): void => assert.fail(String(error));

test("the work runs at once or after a pause, then again after each pause, until the signal aborts", async () => {
  const clock = new FakeClock();
  const stopping = new AbortController();
  const runs = { now: 0, later: 0 };
  const options = { clock, signal: stopping.signal, intervalMs: 100, onError: unexpected };
  const loops = [
    every({ ...options, first: "at once", run: () => runs.now++ }),
    every({ ...options, first: "after a pause", run: () => runs.later++ }),
  ];
  assert.deepEqual(runs, { now: 1, later: 0 });
  await clock.advance(0);
  await clock.advance(250);
  assert.deepEqual(runs, { now: 3, later: 2 });
  stopping.abort();
  await Promise.all(loops);
  assert.equal(clock.sleeping, 0);
  await every({ ...options, first: "at once", run: () => assert.fail("it was stopped before") });
});

test("turns do not overlap, and the end waits for the current turn", async () => {
  const clock = new FakeClock();
  const stopping = new AbortController();
  const turn = Promise.withResolvers<void>();
  let started = 0;
  let hasEnded = false;
  const run = (): Promise<void> => {
    started += 1;
    return turn.promise;
  };
  const loop = every({ clock, signal: stopping.signal, intervalMs: 100, first: "at once", run, onError: unexpected });
  void loop.then(() => {
    hasEnded = true;
  });
  await clock.advance(1_000);
  assert.equal(started, 1);
  stopping.abort();
  await clock.advance(0);
  assert.equal(hasEnded, false);
  turn.resolve();
  await loop;
  assert.equal(started, 1);
});

test("a turn that fails is reported, and the next one runs", async () => {
  const clock = new FakeClock();
  const stopping = new AbortController();
  const errors: unknown[] = [];
  let runs = 0;
  const run = (): unknown => {
    runs += 1;
    if (runs === 1) throw new Error("first");
    return runs === 2 ? Promise.reject(new Error("second")) : undefined;
  };
  const onError = (error: unknown): unknown => errors.push((error as Error).message);
  const loop = every({ clock, signal: stopping.signal, intervalMs: 100, first: "at once", run, onError });
  await clock.advance(0);
  await clock.advance(200);
  assert.equal(runs, 3);
  assert.deepEqual(errors, ["first", "second"]);
  stopping.abort();
  await loop;
});

test("jitter shortens the pauses", async () => {
  const clock = new FakeClock();
  const stopping = new AbortController();
  let runs = 0;
  const options = { clock, signal: stopping.signal, intervalMs: 100, jitter: 0.5, onError: unexpected };
  const loop = every({ ...options, first: "at once", run: () => runs++ });
  await clock.advance(0);
  await clock.advance(10_000);
  assert.ok(runs > 101 && runs <= 201, `${runs} runs`);
  stopping.abort();
  await loop;
});
