import { MemoryCache } from "@appserver/cache-memory";
import { PostgresDatabase } from "@appserver/database-postgres";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { createTestDatabase, startTestPostgres, type TestDatabase, type TestPostgres, testPool } from "@appserver/testing/kit";
import { cacheMigrations } from "../src/cache-migrations.ts";
import { PostgresCache } from "../src/postgres-cache.ts";

const clock = new SystemClock();
const maxBytes = 100_000_000;

/** Caches of several processes on one database. */
export class CachesUnderTest {
  readonly #server: TestPostgres;
  /** A pool that no cache uses. */
  readonly database: TestDatabase["database"];
  readonly connection: TestDatabase["connection"];
  readonly #ends: (() => Promise<void>)[] = [];

  private constructor(server: TestPostgres, { database, connection, stop }: TestDatabase) {
    this.#server = server;
    this.database = database;
    this.connection = connection;
    this.#ends.push(stop);
  }

  static async start(): Promise<CachesUnderTest> {
    const server = await startTestPostgres();
    const opened = await createTestDatabase(server);
    await opened.database.migrate(cacheMigrations);
    return new CachesUnderTest(server, opened);
  }

  /** Opens a cache with a pool of its own, through a relay at `port` if that is given. */
  async open(port?: number, budgetMs = 20_000): Promise<PostgresCache> {
    const connection = { ...this.connection, ...(port !== undefined && { host: "127.0.0.1", port }) };
    const database = new PostgresDatabase({ ...testPool, connection, clock, logger: silentLogger });
    const cache = new PostgresCache({
      database,
      fallback: new MemoryCache({ clock, maxBytes }),
      budgetMs,
      maxLocalBytes: maxBytes,
      maxLocalTtlMs: 300_000,
      clock,
      logger: silentLogger,
    });
    await cache.start();
    this.#ends.push(async () => {
      await cache.stop();
      await database.stop();
    });
    return cache;
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.reverse()) await end();
    await this.#server.stop();
  }
}
