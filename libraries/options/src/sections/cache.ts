import { defineSection } from "../schema.ts";
import { byteSize } from "../types/byte-size.ts";
import { driverName } from "../types/driver-name.ts";
import { durationOrSeconds } from "../types/duration.ts";
import { key32 } from "../types/key-types.ts";
import { boolean } from "../types/plain-types.ts";

/** The cache of each process, and the one that all processes share (docs/interface/limits.md#caches). */
export const cacheSection = defineSection({
  yaml: "cache",
  doc: "The cache of each process, and the shared cache: permission decisions, counters and used signatures.",
  options: {
    driver: {
      env: "APPSERVER_CACHE_DRIVER",
      yaml: "driver",
      type: driverName,
      default: "redis",
      switch: { env: "APPSERVER_REDIS_ENABLED", section: { yaml: "cache" }, yaml: "redis_enabled", on: "redis", off: "memory" },
      doc: "The shared cache",
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
      doc: "Allows several processes that share no cache. Each accepts the same signed request once, and counts rate limits separately",
    },
    macKey: {
      env: "APPSERVER_CACHE_MAC_KEY",
      yaml: "mac_key",
      type: key32,
      secret: true,
      doc: "Key that authenticates the entries in the shared cache. Default: derived from the settings encryption key",
    },
  },
});
