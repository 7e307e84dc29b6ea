export { RedisCache, type RedisCacheOptions } from "./redis-cache.ts";
