import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { MemoryCache } from "@appserver/cache-memory";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { ensureRedis } from "../../../../tools/services/redis.ts";
import { cacheSuite } from "../../cache.suite.ts";
import { RedisCache } from "./redis-cache.ts";

const redis = await ensureRedis();
const available = "unavailable" in redis ? undefined : redis;
after(() => available?.stop());
const clock = new SystemClock();

async function open(namespace: string): Promise<RedisCache> {
  const cache = new RedisCache({
    url: available?.url ?? "",
    namespace,
    fallback: new MemoryCache({ clock }),
    clock,
    logger: silentLogger,
    budgetMs: 5_000,
  });
  await cache.start();
  return cache;
}

if (available) {
  cacheSuite("redis", async () => {
    const cache = await open(`test-${randomUUID()}`);
    return {
      cache,
      advance: async (ms) => {
        await sleep(ms);
      },
      close: () => cache.stop(),
    };
  });
}
