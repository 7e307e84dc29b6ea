import { defineDriver, types } from "@appserver/driver";
import { cacheMigrations } from "./cache-migrations.ts";

export const driver = defineDriver({
  family: "cache",
  version: 1,
  name: "postgres",
  doc: "the platform's database, which all processes share",
  isShared: true,
  migrations: cacheMigrations,
  options: {
    yaml: "cache",
    doc: "The cache in the platform's database (docs/interface/limits.md#caches).",
    options: {
      timeoutMs: {
        env: "APPSERVER_CACHE_POSTGRES_TIMEOUT",
        yaml: "postgres_timeout",
        type: types.duration,
        default: "500ms",
        doc: "Maximum time that a request waits for the cache in the database. After it, the request continues without",
      },
    },
  },
  open: async ({ timeoutMs }, { database, maxBytes, maxLocalTtlMs, createLocal, clock, logger }) => {
    const { PostgresCache } = await import("./postgres-cache.ts");
    return new PostgresCache({
      database,
      fallback: createLocal(),
      budgetMs: timeoutMs,
      maxLocalBytes: maxBytes / 2,
      maxLocalTtlMs,
      clock,
      logger,
    });
  },
});
