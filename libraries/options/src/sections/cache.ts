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
  doc: "The cache of each process, and Redis for what all replicas share: decisions, counters and spent signatures.",
  options: {
    driver: {
      env: "APPSERVER_CACHE_DRIVER",
      yaml: "driver",
      type: oneOf("memory", "redis"),
      default: "redis",
      switch: { env: "APPSERVER_REDIS_ENABLED", section: { yaml: "cache" }, yaml: "redis_enabled", on: "redis", off: "memory" },
      doc: "What replicas share. With `memory` each process counts limits and spent signatures for itself: for a single process only",
    },
    ttlMs: {
      env: "APPSERVER_CACHE_TTL",
      yaml: "ttl",
      type: durationOrSeconds,
      default: "300",
      doc: "How long the cache of a process keeps what does not say so itself",
    },
    maxSizeBytes: {
      env: "APPSERVER_CACHE_MAX_SIZE",
      yaml: "max_size",
      type: byteSize,
      default: "100MB",
      doc: "Size of the cache of a process",
    },
    acceptUnshared: {
      env: "APPSERVER_CACHE_ACCEPT_UNSHARED",
      yaml: "accept_unshared",
      type: boolean,
      default: "false",
      doc: "Several processes start without Redis: each of them takes a signed request once, and counts limits for itself",
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
      doc: "Authorities that issue its certificate, for `rediss://`; those that Node trusts where not given",
    },
    redisTimeoutMs: {
      env: "APPSERVER_REDIS_TIMEOUT",
      yaml: "redis_timeout",
      type: duration,
      default: "50ms",
      doc: "How long a request waits for Redis before it goes on without",
    },
    macKey: {
      env: "APPSERVER_CACHE_MAC_KEY",
      yaml: "mac_key",
      type: key32,
      secret: true,
      doc: "Authenticates what replicas share in Redis; derived from the settings encryption key where not given",
    },
  },
});
