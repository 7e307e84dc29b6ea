import assert from "node:assert/strict";
import test from "node:test";
import type { Window, WindowResult } from "@appserver/kernel/ports";
import { FakeClock } from "@appserver/testing/kit";
import fc from "fast-check";
import { cacheSuite } from "../../cache.suite.ts";
import { MemoryCache } from "./memory-cache.ts";

const maxBytes = 100_000_000;

cacheSuite("memory", async () => {
  const clock = new FakeClock();
  return { cache: new MemoryCache({ clock, maxBytes }), advance: (ms) => clock.advance(ms) };
});

/** A limiter by the definition of the port: counts every hit at each call. */
class CountingLimiter {
  readonly #hits: number[] = [];

  hit(windows: readonly Window[], now: number): WindowResult {
    const inside = windows.map(({ windowMs }) => this.#hits.filter((hit) => hit > now - windowMs));
    let refused: WindowResult | undefined;
    windows.forEach(({ limit, windowMs }, window) => {
      const hits = inside[window] ?? [];
      if (hits.length < limit) return;
      const resetMs = (hits.at(-limit) ?? 0) + windowMs - now;
      if (!refused || resetMs > refused.resetMs) refused = { allowed: false, window, remaining: 0, resetMs };
    });
    if (refused) return refused;
    this.#hits.push(now);
    return windows
      .map(({ limit, windowMs }, window): WindowResult => {
        const hits = [...(inside[window] ?? []), now];
        return { allowed: true, window, remaining: limit - hits.length, resetMs: (hits[0] ?? now) + windowMs - now };
      })
      .reduce((tightest, result) => (result.remaining < tightest.remaining ? result : tightest));
  }

  /** Returns the maximum number of hits in any window of this length. */
  most(windowMs: number): number {
    return Math.max(0, ...this.#hits.map((end) => this.#hits.filter((hit) => hit > end - windowMs && hit <= end).length));
  }
}

test("a sliding window never exceeds its limit, and returns the same as a full count", async () => {
  const window = fc.record({ limit: fc.integer({ min: 1, max: 20 }), windowMs: fc.integer({ min: 1, max: 50 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(window, { minLength: 1, maxLength: 3 }),
      fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 80 }),
      async (windows, pauses) => {
        const clock = new FakeClock();
        const cache = new MemoryCache({ clock, maxBytes });
        const model = new CountingLimiter();
        for (const pause of pauses) {
          await clock.advance(pause);
          assert.deepEqual(cache.slidingWindow("key", windows), model.hit(windows, clock.monotonic()));
        }
        for (const { limit, windowMs } of windows) assert.ok(model.most(windowMs) <= limit);
      },
    ),
  );
});

test("jumps of the wall clock have no effect: only monotonic time counts", async () => {
  const clock = new FakeClock();
  const cache = new MemoryCache({ clock, maxBytes });
  cache.set("key", "value", 1_000);
  cache.addIfAbsent("mark", 1_000);
  clock.jump(3_600_000);
  assert.equal(cache.get("key"), "value");
  assert.equal(cache.addIfAbsent("mark", 1_000), "present");
});

test("memory is bounded: the least recently used values are dropped, marks and hits stay", () => {
  const cache = new MemoryCache({ clock: new FakeClock(), maxBytes: 100_000 });
  cache.addIfAbsent("signature", 300_000);
  cache.slidingWindow("limited", [{ limit: 1, windowMs: 60_000 }]);
  for (let n = 0; n < 1_000; n += 1) cache.set(`key:${n}`, "x".repeat(1_000), 60_000);
  assert.ok(cache.size < 30, `${cache.size} entries`);
  assert.equal(cache.get("key:0"), undefined);
  assert.equal(cache.get("key:999"), "x".repeat(1_000));
  assert.equal(cache.addIfAbsent("signature", 300_000), "present");
  assert.equal(cache.slidingWindow("limited", [{ limit: 1, windowMs: 60_000 }]).allowed, false);
});

test("marks are never dropped before their time: an owner that filled its share is refused, others are not", async () => {
  const clock = new FakeClock();
  const cache = new MemoryCache({ clock, maxBytes: 100_000 });
  const fill = (owner: string): number => {
    for (let n = 0; ; n += 1) if (cache.addIfAbsent(`${owner}:${n}`, 60_000, { owner }) === "full") return n;
  };
  const share = fill("greedy");
  assert.ok(share > 20, `${share} marks`);
  assert.equal(cache.addIfAbsent("greedy:0", 60_000, { owner: "greedy" }), "present");
  assert.equal(cache.addIfAbsent("modest:0", 60_000, { owner: "modest" }), "added");
  for (const owner of ["b", "c", "d", "e"]) fill(owner);
  assert.equal(cache.addIfAbsent("greedy:0", 60_000, { owner: "greedy" }), "present");
  assert.equal(cache.addIfAbsent("late:0", 60_000, { owner: "late" }), "full");
  assert.equal(cache.addIfAbsent("late:0", 60_000, { owner: "late", isEvictable: true }), "added");
  assert.equal(cache.addIfAbsent("late:0", 60_000, { owner: "late" }), "present");
  await clock.advance(60_000);
  assert.ok(fill("late") >= share);
});

test("a value larger than the whole cache is not stored, and nothing is dropped for it", () => {
  const cache = new MemoryCache({ clock: new FakeClock(), maxBytes: 10_000 });
  cache.set("small", "value", 60_000);
  cache.set("large", "x".repeat(10_000), 60_000);
  assert.equal(cache.get("large"), undefined);
  assert.equal(cache.get("small"), "value");
});

test("expired keys are removed without being read", async () => {
  const clock = new FakeClock();
  const cache = new MemoryCache({ clock, maxBytes });
  for (let n = 0; n < 500; n += 1) cache.slidingWindow(`old:${n}`, [{ limit: 5, windowMs: 1_000 }]);
  await clock.advance(1_000);
  for (let n = 0; n < 500; n += 1) cache.slidingWindow(`new:${n}`, [{ limit: 5, windowMs: 1_000 }]);
  assert.equal(cache.size, 500);
});

test("a raised limit applies from then on", () => {
  const cache = new MemoryCache({ clock: new FakeClock(), maxBytes });
  const count = (limit: number, hits: number): number =>
    Array.from({ length: hits }, () => cache.slidingWindow("key", [{ limit, windowMs: 1_000 }])).filter((r) => r.allowed)
      .length;
  assert.equal(count(3, 10), 3);
  assert.equal(count(40, 100), 37);
  assert.equal(count(0, 1), 0);
});
