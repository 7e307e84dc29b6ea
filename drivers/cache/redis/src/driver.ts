import { defineDriver, endpointsOf, types } from "@appserver/driver";

export const driver = defineDriver({
  family: "cache",
  version: 1,
  name: "redis",
  doc: "Redis, which all processes share",
  isShared: true,
  options: {
    yaml: "cache",
    doc: "Redis (docs/interface/limits.md#caches).",
    options: {
      url: {
        env: "APPSERVER_REDIS_URL",
        yaml: "redis_url",
        type: types.url("redis", "rediss"),
        inFile: true,
        default: "redis://localhost:6379",
        doc: "Redis 7 or newer: `redis[s]://[user:password@]host[:port][/database]`",
      },
      caFile: {
        env: "APPSERVER_REDIS_CA_FILE",
        yaml: "redis_ca_file",
        type: types.certificateFile,
        doc: "Certificate authorities for the server's certificate, for `rediss://`. Default: the authorities that Node trusts",
      },
      timeoutMs: {
        env: "APPSERVER_REDIS_TIMEOUT",
        yaml: "redis_timeout",
        type: types.duration,
        default: "50ms",
        doc: "Maximum time that a request waits for Redis. After it, the request continues without Redis",
      },
    },
  },
  endpoints: ({ url }) => endpointsOf([url]),
  open: async ({ url, caFile, timeoutMs }, { namespace, maxBytes, maxLocalTtlMs, createLocal, clock, logger }) => {
    const { RedisCache } = await import("./redis-cache.ts");
    return new RedisCache({
      url,
      namespace,
      fallback: createLocal(),
      budgetMs: timeoutMs,
      maxLocalTtlMs,
      maxLocalBytes: maxBytes / 2,
      ...(caFile && { tls: { ca: caFile.text } }),
      clock,
      logger,
    });
  },
});
