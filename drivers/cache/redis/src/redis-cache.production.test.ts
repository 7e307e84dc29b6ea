import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isPromise } from "@appserver/kernel";
import { until } from "@appserver/testing/kit";
import { ensureRedis } from "../../../../tools/services/redis.ts";
import { cacheSuite } from "../../cache.suite.ts";
import { admin, openCache } from "../test/redis-under-test.ts";
import type { RedisCache } from "./redis-cache.ts";

const redis = await ensureRedis();
const skip = "unavailable" in redis ? redis.unavailable : false;
const url = "unavailable" in redis ? "" : redis.url;
after(() => ("unavailable" in redis ? undefined : redis.stop()));

/** The tests assert exactness: on a busy machine a slow reply must not become one of the fallback. */
const patient = { url, budgetMs: 10_000 };

cacheSuite(
  "redis",
  async () => {
    const { cache } = await openCache({ ...patient, namespace: randomUUID() });
    return { cache, advance: (ms) => sleep(ms), close: () => cache.stop() };
  },
  { skip },
);

describe("RedisCache: two replicas", { skip }, () => {
  const namespace = randomUUID();
  const windows = [{ limit: 50, windowMs: 60_000 }];
  let a: RedisCache;
  let b: RedisCache;

  before(async () => {
    [{ cache: a }, { cache: b }] = await Promise.all([
      openCache({ ...patient, namespace }),
      openCache({ ...patient, namespace }),
    ]);
  });
  after(() => Promise.all([a.stop(), b.stop()]));

  it("never exceed a limit together: 200 concurrent hits, 50 allowed", async () => {
    const hits = Array.from({ length: 200 }, async (_, index) => (index % 2 ? a : b).slidingWindow("shared", windows));
    const results = await Promise.all(hits);
    const allowed = results.filter((result) => result.allowed);
    assert.equal(allowed.length, 50);
    assert.deepEqual(
      allowed.map(({ remaining }) => remaining).sort((x, y) => x - y),
      Array.from({ length: 50 }, (_, left) => left),
    );
  });

  it("accept a mark once", async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, async (_, n) => (n % 2 ? a : b).addIfAbsent("mark", 60_000)));
    assert.equal(answers.filter((answer) => answer === "added").length, 1);
  });

  it("read local copies at once, until the other replica changes the value", async () => {
    await a.set("copied", "old", 60_000);
    assert.equal(await b.get("copied"), "old");
    assert.equal(b.get("copied"), "old", "returned at once, from this process");
    await a.set("copied", "new", 60_000);
    await until("B sees the new value", async () => (await b.get("copied")) === "new", 20_000);
    await a.delete("copied");
    await until("B sees it deleted", async () => (await b.get("copied")) === undefined, 20_000);
  });

  it("drop what one replica deletes by prefix", async () => {
    for (const key of ["p:alice|1", "p:alice|2", "p:bob|1"]) await a.set(key, "1", 60_000);
    for (const key of ["p:alice|1", "p:alice|2", "p:bob|1"]) assert.equal(await b.get(key), "1");
    await a.deletePrefix("p:alice|");
    await until("B forgot alice", async () => (await b.get("p:alice|1")) === undefined, 20_000);
    assert.equal(await b.get("p:alice|2"), undefined);
    assert.equal(b.get("p:bob|1"), "1", "bob's copy is kept");
  });

  it("read their own writes", async () => {
    for (let round = 0; round < 200; round += 1) {
      await a.set("own", String(round), 60_000);
      void a.get("own");
      assert.equal(await a.get("own"), String(round));
    }
  });

  it("keep no copy longer than the value's lifetime", async () => {
    await a.set("short", "value", 2_000);
    assert.equal(await b.get("short"), "value");
    await sleep(2_050);
    const value = b.get("short");
    assert.ok(isPromise(value), "reads from Redis");
    assert.equal(await value, undefined);
  });

  it("of different installations share nothing", async () => {
    const { cache: other } = await openCache({ ...patient, namespace: randomUUID() });
    await a.set("secret", "value", 60_000);
    assert.equal(await other.get("secret"), undefined);
    await other.deletePrefix("");
    assert.equal(await a.get("secret"), "value");
    await other.stop();
  });
});

describe("RedisCache: its data in Redis", { skip }, () => {
  it("removes expired values from the index", async () => {
    const namespace = randomUUID();
    const { cache } = await openCache({ ...patient, namespace });
    for (let n = 0; n < 200; n += 1) await cache.set(`old:${n}`, "value", 1);
    await sleep(5);
    for (let n = 0; n < 400; n += 1) await cache.set(`new:${n}`, "value", 60_000);
    const members = Number(await admin(url, "ZCARD", `${namespace}:values`));
    assert.ok(members >= 400 && members < 500, `${members} members for 400 values`);
    await cache.stop();
  });

  it("allows no more hits when Redis's clock is set back, and blocks no longer than the window", async () => {
    const namespace = randomUUID();
    const { cache } = await openCache({ ...patient, namespace });
    const windows = [{ limit: 3, windowMs: 400 }];
    const inAnHour = (Date.now() + 3_600_000) * 1_000;
    for (const moment of [inAnHour, inAnHour + 1, inAnHour + 2]) {
      await admin(url, "ZADD", `${namespace}:h:key`, String(moment), String(moment));
    }
    const refused = await cache.slidingWindow("key", windows);
    assert.equal(refused.allowed, false);
    assert.ok(refused.resetMs <= 400, `${refused.resetMs} ms`);
    await sleep(450);
    assert.equal((await cache.slidingWindow("key", windows)).allowed, true);
    await cache.stop();
  });

  it("leaves no data behind", async () => {
    const namespace = randomUUID();
    const { cache } = await openCache({ ...patient, namespace });
    await cache.set("value", "value", 50);
    await cache.addIfAbsent("mark", 50);
    await cache.slidingWindow("hits", [{ limit: 3, windowMs: 50 }]);
    await cache.stop();
    await until("all keys are deleted", async () => {
      const names = ["v:value", "m:mark", "h:hits", "values", "probe"].map((name) => `${namespace}:${name}`);
      return Number(await admin(url, "EXISTS", ...names)) === 0;
    });
  });
});
