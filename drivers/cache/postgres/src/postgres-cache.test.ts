import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { WindowResult } from "@appserver/kernel/ports";
import { CuttableRelay, eventually } from "@appserver/testing/kit";
import { CachesUnderTest } from "../test/cache-under-test.ts";
import { hashedKey } from "./hashed-key.ts";
import { countHits } from "./hits.ts";
import type { PostgresCache } from "./postgres-cache.ts";
import { removeRows } from "./upkeep.ts";

const windows = [{ limit: 7, windowMs: 60_000 }];

describe("the cache in PostgreSQL", () => {
  let caches: CachesUnderTest;
  before(async () => {
    caches = await CachesUnderTest.start();
  });
  after(() => caches.stop());

  describe("of two processes", () => {
    let a: PostgresCache;
    let b: PostgresCache;
    before(async () => {
      [a, b] = [await caches.open(), await caches.open()];
    });

    it("counts together, exactly, also when many hits of several keys come at once", async () => {
      const keys = ["one", "two", "three"];
      const results = await Promise.all(
        Array.from({ length: 240 }, async (_, n) => {
          const key = `herd:${keys[n % 3]}`;
          return { key, ...(await (n % 2 === 0 ? a : b).slidingWindow(key, windows)) };
        }),
      );
      for (const key of keys) {
        assert.equal(results.filter((each) => each.key === `herd:${key}` && each.allowed).length, 7, key);
      }
    });

    it("accepts a signature once", async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, async (_, n) => [
          await a.addIfAbsent(`signature:${n}`, 60_000),
          await b.addIfAbsent(`signature:${n}`, 60_000),
        ]),
      );
      assert.ok(outcomes.every((both) => both.filter((outcome) => outcome === "added").length === 1));
    });

    it("shares values: a copy is replaced and deleted within a second", async () => {
      await a.set("device:1", "pending", 60_000);
      await eventually(async () => (await b.get("device:1")) === "pending");
      await a.set("device:1", "approved", 60_000);
      await eventually(async () => (await b.get("device:1")) === "approved");
      await a.deletePrefix("device:");
      await eventually(async () => (await b.get("device:1")) === undefined);
      await a.set("device:2", "pending", 60_000);
      assert.equal(await b.get("device:2"), "pending");
      await b.delete("device:2");
      await eventually(async () => (await a.get("device:2")) === undefined);
    });
  });

  it("reads a value once while it hears every notification", async () => {
    const cache = await caches.open();
    await cache.set("copied", "value", 60_000);
    await eventually(async () => {
      await cache.get("copied");
      return typeof cache.get("copied") === "string";
    });
  });

  it("works for itself while the database is unreachable, deletes afterwards what was deleted, and counts together again", async () => {
    const relay = await CuttableRelay.to(caches.connection);
    const cache = await caches.open(relay.port, 1_000);
    const other = await caches.open();
    await cache.set("revoked", "allowed", 60_000);
    await cache.addIfAbsent("seen", 60_000);
    relay.cut();
    assert.equal((await cache.slidingWindow("away", windows)).allowed, true);
    assert.equal(cache.healthy(), false);
    assert.equal(await cache.get("revoked"), undefined);
    assert.equal(await cache.addIfAbsent("seen", 60_000), "present");
    assert.equal(await cache.addIfAbsent("unseen", 60_000), "added");
    await cache.deletePrefix("rev");
    assert.equal(await other.get("revoked"), "allowed");
    relay.restore();
    await eventually(() => cache.healthy());
    assert.equal(await cache.get("revoked"), undefined);
    await eventually(async () => (await other.get("revoked")) === undefined);
    for (let hit = 0; hit < 7; hit += 1) await other.slidingWindow("away", windows);
    assert.equal((await cache.slidingWindow("away", windows)).allowed, false);
    relay.stop();
  });

  it("counts as exactly with windows of many hits, and keeps no more of them than the windows need", async () => {
    const { database } = caches;
    const many = [
      { limit: 1_000, windowMs: 600_000 },
      { limit: 400, windowMs: 1_500 },
    ];
    const hit = async (times: number) => {
      const results: WindowResult[] = [];
      for (let left = times; left > 0; left -= 64)
        results.push(
          ...(await countHits(
            database,
            Array.from({ length: Math.min(64, left) }, () => ({ key: "many", windows: many })),
          )),
        );
      return results;
    };
    const first = await hit(500);
    assert.deepEqual(
      first.map(({ allowed, window, remaining }) => [allowed, window, remaining]),
      Array.from({ length: 500 }, (_, n) => [n < 400, 1, Math.max(0, 399 - n)]),
    );
    await delay(1_600);
    assert.equal((await hit(300)).filter(({ allowed }) => allowed).length, 300);
    await delay(1_600);
    const last = await hit(400);
    assert.deepEqual(
      last.map(({ allowed, window, remaining }) => [allowed, window, remaining]),
      Array.from({ length: 400 }, (_, n) => [n < 300, 0, Math.max(0, 299 - n)]),
    );
    assert.ok(last.every(({ resetMs }) => resetMs > 590_000 && resetMs < 600_000));
    const few = [{ limit: 2_000, windowMs: 1 }];
    for (let n = 0; n < 10; n += 1) {
      await delay(5);
      await countHits(
        database,
        Array.from({ length: 64 }, () => ({ key: "many", windows: few })),
      );
    }
    const { rows } = await database.query<{ n: number }>("select count(*) n from cache.hits where key = $1", [
      hashedKey("many"),
    ]);
    assert.ok((rows[0]?.n ?? 0) <= 2, `${rows[0]?.n} rows`);
  });

  it("moves hits of a clock that was set back to now", async () => {
    const { database } = caches;
    for (let hit = 0; hit < 7; hit += 1) await countHits(database, [{ key: "clock", windows }]);
    await database.query(
      "update cache.counters set newest = newest + 3600000000, tail = array(select m + 3600000000 from unnest(tail) m order by 1)",
    );
    const [result] = await countHits(database, [{ key: "clock", windows }]);
    assert.ok(result && !result.allowed && result.resetMs <= 60_000, `${result?.resetMs} ms`);
  });

  it("removes expired rows, and those for which there is no room; a used signature stays", async () => {
    const { database } = caches;
    for (const table of ["counters", "entries", "marks"]) await database.query(`delete from cache.${table}`);
    await database.query(
      "insert into cache.counters (key, expires_at) select 'h' || n, now() + n * interval '1 minute' from generate_series(-12000, 50) n",
    );
    await database.query(
      "insert into cache.entries select 'e' || n, '', now() + n * interval '1 minute' from generate_series(-5, 50) n",
    );
    await database.query(
      "insert into cache.marks select 'm' || n, n % 2 = 0, now() + n * interval '1 minute' from generate_series(-5, 50) n",
    );
    await removeRows(database, 10);
    const count = async (from: string) =>
      (await database.query<{ n: number }>(`select count(*) n from cache.${from}`)).rows[0]?.n;
    assert.deepEqual([await count("counters"), await count("entries")], [10, 10]);
    assert.deepEqual([await count("marks where is_evictable"), await count("marks where not is_evictable")], [10, 25]);
    const { rows } = await database.query<{ key: string }>("select key from cache.counters order by expires_at limit 1");
    assert.equal(rows[0]?.key, "h41");
  });
});
