import { MemoryCache } from "@appserver/cache-memory";
import { type Logger, SystemClock, silentLogger } from "@appserver/kernel";
import { RedisCache, type RedisCacheOptions } from "../src/redis-cache.ts";
import { connectRedis } from "../src/redis-connection.ts";
import { parseRedisUrl } from "../src/redis-target.ts";

export const clock = new SystemClock();

/** A cache as the server creates it, with its log. */
export interface OpenCache {
  readonly cache: RedisCache;
  readonly log: readonly string[];
}

/** Starts a cache: Redis is in use, or was found unusable. */
export async function openCache(options: Pick<RedisCacheOptions, "url"> & Partial<RedisCacheOptions>): Promise<OpenCache> {
  const log: string[] = [];
  const note = (fields: object): void => void log.push(JSON.stringify(fields));
  const logger: Logger = { ...silentLogger, debug() {}, info: note, warn: note, error: note, child: () => logger };
  const fallback = new MemoryCache({ clock, maxBytes: 100_000_000 });
  const cache = new RedisCache({
    namespace: "test",
    fallback,
    clock,
    logger,
    budgetMs: 50,
    maxLocalBytes: 50_000_000,
    maxLocalTtlMs: 300_000,
    ...options,
  });
  await cache.start();
  return { cache, log };
}

/** Sends a command as an operator does in redis-cli. */
export async function admin(url: string, ...args: readonly string[]): Promise<unknown> {
  const connection = await connectRedis({ target: parseRedisUrl(url), tls: undefined, timeoutMs: 5_000, onEnd: () => {} });
  try {
    return await connection.send(args);
  } finally {
    connection.close();
  }
}
