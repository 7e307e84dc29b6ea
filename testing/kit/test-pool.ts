/** The connection pool of a test's database. */
export const testPool = {
  poolSize: 25,
  idleConnections: 5,
  connectionLifetimeMs: 300_000,
  statementTimeoutMs: 30_000,
} as const;
