import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { settledWithin, within } from "./within.ts";

const never = new Promise<never>(() => {});
const error = (): Error => new Error("too late");

describe("within", () => {
  test("returns the result and clears its timer", async () => {
    const clock = new FakeClock();
    assert.equal(await within(async () => 7, { clock, ms: 100, error }), 7);
    assert.equal(clock.sleeping, 0);
  });

  test("rejects as the work rejects or throws", async () => {
    const clock = new FakeClock();
    const broken = new Error("broken");
    const throwing = (): Promise<void> => {
      throw broken;
    };
    await assert.rejects(
      within(() => Promise.reject(broken), { clock, ms: 100, error }),
      broken,
    );
    await assert.rejects(within(throwing, { clock, ms: 100, error }), broken);
    assert.equal(clock.sleeping, 0);
  });

  test("rejects with the error when the time is up, and aborts the signal of the work", async () => {
    const clock = new FakeClock();
    let given: AbortSignal | undefined;
    const work = (signal: AbortSignal): Promise<never> => {
      given = signal;
      return never;
    };
    const rejected = assert.rejects(within(work, { clock, ms: 100, error }), /^Error: too late$/);
    await clock.advance(99);
    assert.equal(given?.aborted, false);
    await clock.advance(1);
    await rejected;
    assert.equal(given?.aborted, true);
  });

  test("rejects with the reason of the signal", async () => {
    const clock = new FakeClock();
    const stopping = new AbortController();
    const rejected = assert.rejects(
      within(() => never, { clock, ms: 100, error, signal: stopping.signal }),
      /stopped/,
    );
    stopping.abort(new Error("stopped"));
    await rejected;
    assert.equal(clock.sleeping, 0);
  });

  test("a failure after the deadline is discarded", async () => {
    const clock = new FakeClock();
    const work = Promise.withResolvers<void>();
    const rejected = assert.rejects(
      within(() => work.promise, { clock, ms: 100, error }),
      /too late/,
    );
    await clock.advance(100);
    await rejected;
    work.reject(new Error("after that"));
    await clock.advance(0);
  });
});

describe("settledWithin", () => {
  test("returns whether the promise settled in time", async () => {
    const clock = new FakeClock();
    assert.equal(await settledWithin(Promise.resolve(), { clock, ms: 100 }), true);
    assert.equal(await settledWithin(Promise.reject(new Error("failed")), { clock, ms: 100 }), true);
    const late = settledWithin(never, { clock, ms: 100 });
    await clock.advance(100);
    assert.equal(await late, false);
  });
});
