import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "./fake-clock.ts";

test("advance wakes sleepers in order, each at its own time, also those that sleep again", async () => {
  const clock = new FakeClock(1_000);
  const woken: string[] = [];
  const ticking = (async () => {
    for (let tick = 1; tick <= 3; tick++) {
      await clock.sleep(10);
      woken.push(`tick ${clock.monotonic()}`);
    }
  })();
  const late = clock.sleep(25).then(() => woken.push(`late ${clock.now()}`));
  await clock.advance(30);
  assert.deepEqual(woken, ["tick 10", "tick 20", "late 1025", "tick 30"]);
  await Promise.all([ticking, late]);
});

test("an aborted sleeper rejects with the reason and is forgotten", async () => {
  const clock = new FakeClock();
  const abort = new AbortController();
  const sleep = clock.sleep(10, abort.signal);
  abort.abort(new Error("enough"));
  await assert.rejects(sleep, /enough/);
  assert.equal(clock.sleeping, 0);
});

test("jump moves the wall clock only", () => {
  const clock = new FakeClock(0);
  clock.jump(-600_000);
  assert.deepEqual([clock.now(), clock.monotonic()], [-600_000, 0]);
});
