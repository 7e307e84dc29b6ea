import { defineSection } from "../schema.ts";
import { byteSize } from "../types/byte-size.ts";
import { duration, durationOrSeconds } from "../types/duration.ts";
import { certificateFile } from "../types/file-content.ts";
import { key32 } from "../types/key-types.ts";
import { boolean, oneOf } from "../types/plain-types.ts";
import { url } from "../types/url-types.ts";

/** The cache of each process, and Redis, which all processes share (docs/interface/limits.md#caches). */
export const cacheSection = defineSection({
  yaml: "cache",
  doc: "The cache of each process, and the shared cache: permission decisions, counters and used signatures.",
  options: {
    driver: {
      env: "APPSERVER_CACHE_DRIVER",
      yaml: "driver",
      type: oneOf("memory", "redis"),
      default: "redis",
      switch: { env: "APPSERVER_REDIS_ENABLED", section: { yaml: "cache" }, yaml: "redis_enabled", on: "redis", off: "memory" },
      doc: "The shared cache. With `memory` each process counts rate limits and remembers used signatures separately: for a single process only",
    },
    ttlMs: {
      env: "APPSERVER_CACHE_TTL",
      yaml: "ttl",
      type: durationOrSeconds,
      default: "300",
      doc: "Lifetime of entries in the cache of a process, unless an entry has its own",
    },
    maxSizeBytes: {
      env: "APPSERVER_CACHE_MAX_SIZE",
      yaml: "max_size",
      type: byteSize,
      default: "100MB",
      doc: "Maximum size of each of the two caches of a process: values, and files of apps",
    },
    acceptUnshared: {
      env: "APPSERVER_CACHE_ACCEPT_UNSHARED",
      yaml: "accept_unshared",
      type: boolean,
      default: "false",
      doc: "Allows several processes without Redis. Each accepts the same signed request once, and counts rate limits separately",
    },
    redisUrl: {
      env: "APPSERVER_REDIS_URL",
      yaml: "redis_url",
      type: url("redis", "rediss"),
      inFile: true,
      default: "redis://localhost:6379",
      doc: "Redis 7 or newer: `redis[s]://[user:password@]host[:port][/database]`",
    },
    redisCaFile: {
      env: "APPSERVER_REDIS_CA_FILE",
      yaml: "redis_ca_file",
      type: certificateFile,
      doc: "Certificate authorities for the server's certificate, for `rediss://`. Default: the authorities that Node trusts",
    },
    redisTimeoutMs: {
      env: "APPSERVER_REDIS_TIMEOUT",
      yaml: "redis_timeout",
      type: duration,
      default: "50ms",
      doc: "Maximum time that a request waits for Redis. After it, the request continues without Redis",
    },
    macKey: {
      env: "APPSERVER_CACHE_MAC_KEY",
      yaml: "mac_key",
      type: key32,
      secret: true,
      doc: "Key that authenticates the entries in Redis. Default: derived from the settings encryption key",
    },
  },
});
