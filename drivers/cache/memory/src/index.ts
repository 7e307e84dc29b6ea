export { MemoryCache, type MemoryCacheOptions } from "./memory-cache.ts";
