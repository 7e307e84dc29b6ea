import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Cache } from "@appserver/kernel/ports";

export interface CacheUnderTest {
  readonly cache: Cache;
  /** Advances the cache's time: moves its clock, or waits. */
  advance(ms: number): Promise<void>;
  close?(): Promise<void>;
}

/** Declares the tests that every driver of the family must pass. Times leave room for a driver that uses real time. */
export function cacheSuite(name: string, open: () => Promise<CacheUnderTest>, options: { skip?: string | false } = {}): void {
  describe(`cache: ${name}`, { skip: options.skip ?? false }, () => {
    let driver: CacheUnderTest;
    let cache: Cache;

    before(async () => {
      driver = await open();
      cache = driver.cache;
    });
    after(() => driver.close?.());

    it("keeps a value until its time is over", async () => {
      await cache.set("ttl", "value", 2_000);
      await driver.advance(500);
      assert.equal(await cache.get("ttl"), "value");
      await driver.advance(2_000);
      assert.equal(await cache.get("ttl"), undefined);
    });

    it("keeps texts unchanged", async () => {
      for (const value of ["", "\u0000\r\n", "\u{1F511} ä", "x".repeat(100_000)]) {
        await cache.set("text", value, 60_000);
        assert.equal(await cache.get("text"), value);
      }
    });

    it("replaces a value together with its time", async () => {
      await cache.set("replaced", "old", 200);
      await cache.set("replaced", "new", 60_000);
      await driver.advance(250);
      assert.equal(await cache.get("replaced"), "new");
    });

    it("misses keys that were never set or have been deleted", async () => {
      assert.equal(await cache.get("never"), undefined);
      await cache.set("deleted", "value", 60_000);
      await cache.delete("deleted");
      await cache.delete("deleted");
      assert.equal(await cache.get("deleted"), undefined);
    });

    it("deletes by prefix, taken literally", async () => {
      for (const key of ["p:a*:1", "p:a*:2", "p:ab:1"]) await cache.set(key, "value", 60_000);
      await cache.deletePrefix("p:a*:");
      assert.equal(await cache.get("p:a*:1"), undefined);
      assert.equal(await cache.get("p:a*:2"), undefined);
      assert.equal(await cache.get("p:ab:1"), "value");
    });

    it("deletes only values by prefix, also many of them", async () => {
      const windows = [{ limit: 1, windowMs: 60_000 }];
      await cache.addIfAbsent("many:mark", 60_000);
      await cache.slidingWindow("many:hits", windows);
      const keys = Array.from({ length: 2_500 }, (_, index) => `many:${index}`);
      await Promise.all(keys.map(async (key) => cache.set(key, "value", 60_000)));
      await cache.deletePrefix("many:");
      const values = await Promise.all(keys.map(async (key) => cache.get(key)));
      assert.deepEqual(new Set(values), new Set([undefined]));
      assert.equal(await cache.addIfAbsent("many:mark", 60_000), "present");
      assert.equal((await cache.slidingWindow("many:hits", windows)).allowed, false);
    });

    it("adds a key once, until its time is over", async () => {
      assert.equal(await cache.addIfAbsent("once", 1_500), "added");
      assert.equal(await cache.addIfAbsent("once", 1_500), "present");
      await driver.advance(1_600);
      assert.equal(await cache.addIfAbsent("once", 1_500), "added");
    });

    it("lets one of many concurrent callers add a key", async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, async () => cache.addIfAbsent("race", 60_000)));
      assert.equal(answers.filter((answer) => answer === "added").length, 1);
    });

    it("allows a window's limit, refuses further hits, and returns how many are left", async () => {
      const windows = [{ limit: 3, windowMs: 60_000 }];
      const results = [];
      for (let hit = 0; hit < 4; hit += 1) results.push(await cache.slidingWindow("limit", windows));
      assert.deepEqual(
        results.map(({ allowed, remaining }) => [allowed, remaining]),
        [
          [true, 2],
          [true, 1],
          [true, 0],
          [false, 0],
        ],
      );
      for (const { resetMs } of results) assert.ok(resetMs > 50_000 && resetMs <= 60_000, `${resetMs} ms`);
    });

    it("slides: hits leave the window one by one", async () => {
      const windows = [{ limit: 2, windowMs: 2_000 }];
      assert.equal((await cache.slidingWindow("slide", windows)).allowed, true);
      await driver.advance(1_000);
      assert.equal((await cache.slidingWindow("slide", windows)).allowed, true);
      assert.equal((await cache.slidingWindow("slide", windows)).allowed, false);
      await driver.advance(1_100);
      assert.equal((await cache.slidingWindow("slide", windows)).allowed, true);
      assert.equal((await cache.slidingWindow("slide", windows)).allowed, false);
    });

    it("counts no refused hit in any window, and names the window that refuses", async () => {
      const windows = [
        { limit: 4, windowMs: 60_000 },
        { limit: 2, windowMs: 1_500 },
      ];
      const tight = await cache.slidingWindow("two", windows);
      assert.deepEqual([tight.allowed, tight.window, tight.remaining], [true, 1, 1]);
      await cache.slidingWindow("two", windows);
      for (let hit = 0; hit < 5; hit += 1) {
        const refused = await cache.slidingWindow("two", windows);
        assert.deepEqual([refused.allowed, refused.window], [false, 1]);
        assert.ok(refused.resetMs <= 1_500, `${refused.resetMs} ms`);
      }
      await driver.advance(1_600);
      assert.equal((await cache.slidingWindow("two", windows)).allowed, true);
      assert.equal((await cache.slidingWindow("two", windows)).allowed, true);
      await driver.advance(1_600);
      const refused = await cache.slidingWindow("two", windows);
      assert.deepEqual([refused.allowed, refused.window], [false, 0]);
    });

    it("counts earlier hits after a window was widened", async () => {
      for (let hit = 0; hit < 2; hit += 1) await cache.slidingWindow("widened", [{ limit: 2, windowMs: 60_000 }]);
      assert.equal((await cache.slidingWindow("widened", [{ limit: 2, windowMs: 60_000 }])).allowed, false);
      const results = [];
      for (let hit = 0; hit < 4; hit += 1) results.push(await cache.slidingWindow("widened", [{ limit: 5, windowMs: 60_000 }]));
      assert.deepEqual(
        results.map(({ allowed, remaining }) => [allowed, remaining]),
        [
          [true, 2],
          [true, 1],
          [true, 0],
          [false, 0],
        ],
      );
    });

    it("refuses every hit in a window with limit 0", async () => {
      const result = await cache.slidingWindow("closed", [{ limit: 0, windowMs: 1_000 }]);
      assert.deepEqual([result.allowed, result.remaining, result.resetMs], [false, 0, 1_000]);
    });

    it("counts keys separately", async () => {
      const windows = [{ limit: 1, windowMs: 60_000 }];
      assert.equal((await cache.slidingWindow("apart:1", windows)).allowed, true);
      assert.equal((await cache.slidingWindow("apart:2", windows)).allowed, true);
      assert.equal((await cache.slidingWindow("apart:1", windows)).allowed, false);
    });

    it("is exact under concurrent hits", async () => {
      const windows = [{ limit: 7, windowMs: 60_000 }];
      const results = await Promise.all(Array.from({ length: 50 }, async () => cache.slidingWindow("herd", windows)));
      assert.equal(results.filter(({ allowed }) => allowed).length, 7);
    });

    it("is healthy", () => assert.equal(cache.healthy(), true));
  });
}
