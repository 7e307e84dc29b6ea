import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { WakeUp } from "./wake-up.ts";

test("a pause ends with its time", async () => {
  const clock = new FakeClock();
  const pause = new WakeUp(clock, new AbortController().signal).pause(100);
  await clock.advance(99);
  assert.equal(clock.sleeping, 1);
  await clock.advance(1);
  await pause;
});

test("a wake-up ends the pause and is consumed by it", async () => {
  const clock = new FakeClock();
  const wakeUp = new WakeUp(clock, new AbortController().signal);
  const pause = wakeUp.pause(100);
  wakeUp.wake();
  await pause;
  assert.equal(wakeUp.isWoken, false);
  assert.equal(clock.monotonic(), 0);
});

test("a wake-up before the pause ends it at once, unless it was discarded", async () => {
  const clock = new FakeClock();
  const wakeUp = new WakeUp(clock, new AbortController().signal);
  wakeUp.wake();
  assert.equal(wakeUp.isWoken, true);
  await wakeUp.pause(100);
  wakeUp.wake();
  wakeUp.reset();
  const pause = wakeUp.pause(100);
  assert.equal(clock.sleeping, 1);
  await clock.advance(100);
  await pause;
});

test("a delayed wake-up ends the pause", async () => {
  const clock = new FakeClock();
  const wakeUp = new WakeUp(clock, new AbortController().signal);
  wakeUp.wakeIn(20);
  const pause = wakeUp.pause(100);
  await clock.advance(20);
  await pause;
  assert.equal(clock.monotonic(), 20);
});

test("stopping and the signal of the pause end it", async () => {
  const clock = new FakeClock();
  const stopping = new AbortController();
  const signal = new AbortController();
  const wakeUp = new WakeUp(clock, stopping.signal);
  const first = wakeUp.pause(100, signal.signal);
  signal.abort();
  await first;
  const second = wakeUp.pause(100);
  wakeUp.wakeIn(50);
  stopping.abort();
  await second;
  assert.equal(clock.sleeping, 0);
});
