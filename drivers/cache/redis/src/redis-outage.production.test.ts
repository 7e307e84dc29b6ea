import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, describe, it } from "node:test";
import type { Cache } from "@appserver/kernel/ports";
import { until } from "@appserver/testing/kit";
import { startRedis } from "../../../../tools/services/redis.ts";
import { CacheLoad } from "../test/cache-load.ts";
import { admin, type OpenCache, openCache } from "../test/redis-under-test.ts";
import type { RedisCache } from "./redis-cache.ts";

const server = await startRedis();
const skip = "unavailable" in server ? server.unavailable : false;
const redis = "unavailable" in server ? undefined : server;
const url = redis?.url ?? "";
after(() => redis?.stop());

const opened: RedisCache[] = [];
/** Opens a cache that is stopped after the test, whatever its result. */
async function open(options: Parameters<typeof openCache>[0]): Promise<OpenCache> {
  const cache = await openCache(options);
  opened.push(cache.cache);
  return cache;
}
afterEach(async () => {
  redis?.resume();
  for (const cache of opened.splice(0)) await cache.stop();
});

/**
 * The budget is 50 ms; without it these calls would wait until Redis is back. The asserted time leaves room for a machine that
 * is busy with other tests.
 */
const generousMs = 2_000;
/** For tests that do not assert times. */
const patient = { budgetMs: 5_000, connectTimeoutMs: 5_000 };
const windows = [{ limit: 1_000_000, windowMs: 60_000 }];

function backAgain(cache: Cache): Promise<void> {
  return until("Redis is in use again", () => cache.healthy(), 20_000);
}

describe("RedisCache: when Redis fails", { skip }, () => {
  const faults = {
    "killed and started again": {
      begin: () => redis?.kill(),
      end: () => redis?.start(),
    },
    "frozen (SIGSTOP) and continued": {
      begin: () => redis?.pause(),
      end: () => redis?.resume(),
    },
    "slow (CLIENT PAUSE)": {
      begin: () => admin(url, "CLIENT", "PAUSE", "2500", "ALL"),
      end: () => admin(url, "PING"),
    },
  };

  for (const [name, fault] of Object.entries(faults)) {
    it(`${name}: every call returns in time, none rejects`, async (t) => {
      const { cache, log } = await open({ url, namespace: randomUUID() });
      const load = new CacheLoad(cache);
      await load.run(500);
      await backAgain(cache);
      await fault.begin();
      await load.run(1_500);
      assert.equal(cache.healthy(), false);
      await fault.end();
      const endedAt = performance.now();
      await backAgain(cache);
      const backAfterMs = Math.round(performance.now() - endedAt);
      await load.run(500);
      t.diagnostic(`${load.summary()}; back after ${backAfterMs} ms`);
      assert.equal(load.rejected, 0);
      assert.ok(load.slowestMs < generousMs, `the slowest call took ${load.slowestMs} ms`);
      assert.ok(load.calls > 500, `${load.calls} calls`);
      assert.ok(log.some((line) => line.includes("reason")));
    });
  }

  it("counts, remembers and stores values in the process during the outage", async () => {
    const { cache } = await open({ url, namespace: randomUUID() });
    await redis?.kill();
    await until("the loss is noticed", () => !cache.healthy());
    assert.equal(cache.slidingWindow("key", [{ limit: 1, windowMs: 60_000 }]) instanceof Promise, false, "at once");
    assert.equal((await cache.slidingWindow("key", [{ limit: 1, windowMs: 60_000 }])).allowed, false);
    assert.equal(await cache.addIfAbsent("mark", 60_000), "added");
    assert.equal(await cache.addIfAbsent("mark", 60_000), "present");
    await cache.set("value", "text", 60_000);
    assert.equal(await cache.get("value"), "text");
    await redis?.start();
    await backAgain(cache);
    assert.equal(await cache.get("value"), undefined, "values of the outage end with it");
    assert.equal(await cache.addIfAbsent("mark", 60_000), "present", "marks do not");
  });

  it("logs when Redis may drop used signatures, at once on a new link, and stops when it may not", async () => {
    await admin(url, "CONFIG", "SET", "maxmemory", "100mb");
    const policy = (name: string) => admin(url, "CONFIG", "SET", "maxmemory-policy", name);
    try {
      for (const name of ["allkeys-lru", "volatile-ttl"]) {
        await policy(name);
        const { cache, log } = await open({ url, namespace: randomUUID(), ...patient });
        await backAgain(cache);
        assert.equal(log.filter((line) => line.includes(`"policy":"${name}"`)).length, 1, log.join());
      }
      await policy("noeviction");
      const { cache, log } = await open({ url, namespace: randomUUID(), ...patient });
      await backAgain(cache);
      assert.equal(log.filter((line) => line.includes("policy")).length, 0, log.join());
    } finally {
      await policy("noeviction");
      await admin(url, "CONFIG", "SET", "maxmemory", "0");
    }
  });

  it("starts without Redis, and uses it as soon as it is available", async () => {
    await redis?.kill();
    const { cache, log } = await open({ url, namespace: randomUUID() });
    assert.equal(cache.healthy(), false);
    assert.equal((await cache.slidingWindow("key", windows)).allowed, true);
    assert.match(log.join(), /ECONNREFUSED/);
    assert.equal(log.length, 1, "logged once");
    await redis?.start();
    await backAgain(cache);
  });

  it("does not use values after the outage that were deleted or replaced during it", async () => {
    const namespace = randomUUID();
    const { cache } = await open({ url, namespace, budgetMs: 1_000 });
    for (const key of ["revoked:1", "revoked:2", "deleted", "replaced", "kept"]) await cache.set(key, "old", 60_000);
    redis?.pause();
    await cache.deletePrefix("revoked:");
    await cache.delete("deleted");
    await cache.set("replaced", "new", 60_000);
    redis?.resume();
    await backAgain(cache);
    const read = async (key: string): Promise<string | undefined> => cache.get(key);
    assert.deepEqual(await Promise.all(["revoked:1", "revoked:2", "deleted", "replaced", "kept"].map(read)), [
      undefined,
      undefined,
      undefined,
      undefined,
      "old",
    ]);
  });

  it("remembers a mark that Redis has lost", async () => {
    const { cache } = await open({ url, namespace: randomUUID(), ...patient });
    assert.equal(await cache.addIfAbsent("signature", 60_000), "added");
    await admin(url, "FLUSHALL");
    assert.equal(await cache.addIfAbsent("signature", 60_000), "present");
  });

  it("continues after its scripts and all its data were flushed", async () => {
    const { cache } = await open({ url, namespace: randomUUID(), ...patient });
    await cache.set("value", "text", 60_000);
    assert.equal(await cache.get("value"), "text");
    await admin(url, "SCRIPT", "FLUSH");
    await admin(url, "FLUSHALL");
    assert.equal((await cache.slidingWindow("key", [{ limit: 3, windowMs: 60_000 }])).remaining, 2);
    await until("the copy is forgotten", async () => (await cache.get("value")) === undefined, 20_000);
    assert.equal(cache.healthy(), true);
  });

  it("that is full or read-only is not used, and the reason is logged", async () => {
    const { cache, log } = await open({ url, namespace: randomUUID() });
    await admin(url, "CONFIG", "SET", "maxmemory", "1");
    await until("it is noticed", () => !cache.healthy());
    assert.match(log.join(), /OOM command not allowed/);
    assert.equal(await cache.addIfAbsent("mark", 1_000), "added");
    await admin(url, "CONFIG", "SET", "maxmemory", "0");
    await backAgain(cache);
  });

  it("stops at once, whatever Redis does", async () => {
    const { cache } = await open({ url, namespace: randomUUID() });
    redis?.pause();
    const late = [
      async () => cache.get("a"),
      async () => cache.slidingWindow("b", windows),
      async () => cache.addIfAbsent("c", 1_000),
      async () => cache.deletePrefix("d"),
    ].map((call) => call());
    const stoppedAt = performance.now();
    await cache.stop();
    await Promise.all(late);
    assert.ok(performance.now() - stoppedAt < generousMs);
    redis?.resume();
    assert.equal(cache.healthy(), false);
  });
});

describe("RedisCache: authentication", { skip }, () => {
  const at = (credentials: string, database = ""): string => `redis://${credentials}127.0.0.1:${redis?.port}${database}`;
  const password = redis ? new URL(url).password : "";

  for (const [what, address, reason] of [
    ["a wrong password", at(":wrong@"), /refuses the user name or password: WRONGPASS/],
    ["no password", at(""), /requires a password, but the URL has none: NOAUTH/],
    ["a database that there is not", at(`:${password}@`, "/99"), /has no database 99/],
  ] as const) {
    it(`logs ${what}, and works without Redis`, async () => {
      const { cache, log } = await open({ url: address, ...patient });
      assert.equal(cache.healthy(), false);
      assert.match(log.join(), reason);
      assert.equal(log.join().includes(password), false);
      assert.equal(await cache.addIfAbsent(randomUUID(), 1_000), "added");
    });
  }

  it("uses the user, password and database of the URL, with the documented rights", async () => {
    const rights = "+@connection +@read +@write +@scripting +time -@dangerous +info ~apps:* resetchannels";
    await admin(url, "ACL", "SETUSER", "cache", "on", ">p@ss:w/rd", ...rights.split(" "));
    const { cache, log } = await open({
      url: at(`cache:${encodeURIComponent("p@ss:w/rd")}@`, "/3"),
      namespace: "apps",
      ...patient,
    });
    assert.equal(cache.healthy(), true, log.join());
    await cache.set("key", "value", 60_000);
    assert.equal(await cache.get("key"), "value");
    await cache.deletePrefix("k");
    assert.equal(await cache.get("key"), undefined);
    assert.equal((await cache.slidingWindow("key", windows)).allowed, true);
    assert.match(String(await admin(url, "INFO", "keyspace")), /db3:/);
    assert.equal(log.length, 1, log.join());
  });
});

describe("RedisCache: TLS", { skip }, () => {
  it("checks Redis's certificate", async () => {
    const folder = mkdtempSync(join(tmpdir(), "appserver-redis-tls-"));
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const subject = ["-subj", "/CN=redis", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "1", "-nodes"];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", ...subject, "-keyout", key, "-out", cert], {
      stdio: "ignore",
    });
    const secure = await startRedis({ tls: { cert, key } });
    if ("unavailable" in secure) throw new Error(secure.unavailable);
    try {
      const trusted = await open({ url: secure.url, tls: { ca: readFileSync(cert) }, ...patient });
      await trusted.cache.set("key", "value", 60_000);
      assert.equal(await trusted.cache.get("key"), "value");
      assert.equal(trusted.cache.healthy(), true, trusted.log.join());
      const untrusted = await open({ url: secure.url, ...patient });
      assert.equal(untrusted.cache.healthy(), false);
      assert.match(untrusted.log.join(), /self-signed certificate/);
    } finally {
      await secure.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
