import type { Logger } from "@appserver/kernel";
import type { Database, SqlExecutor, Transaction } from "@appserver/kernel/ports";
import type { PgBoss } from "pg-boss";

/** Schema of pg-boss, which creates and migrates it under its own lock. */
const schema = "activity_queue";

interface BossDatabase {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** The queue of waiting runs: pg-boss over the platform's database port, inside the caller's transactions. */
export class BossQueue {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #known = new Set<string>();
  #opening: Promise<PgBoss> | undefined;

  constructor(database: Database, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
  }

  /**
   * Loads pg-boss and migrates its schema. The first use of the queue does this too. A failed attempt is retried by the next
   * use.
   */
  async open(): Promise<void> {
    await this.#boss();
  }

  /** Does the same as {@link open}. Returns what it changed: `activity_queue/<version>`, or nothing. */
  async migrate(): Promise<readonly string[]> {
    const before = await this.#version();
    await this.open();
    const after = await this.#version();
    return after === before ? [] : [`${schema}/${after}`];
  }

  async close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined);
    await opened?.stop({ close: false, graceful: false });
  }

  /** Creates the queue if missing. Not in a transaction: the queue must exist before a transaction inserts into it. */
  async ensure(queue: string): Promise<void> {
    if (this.#known.has(queue)) return;
    const boss = await this.#boss();
    if (!(await boss.getQueue(queue))) await boss.createQueue(queue, { retryLimit: 0 });
    this.#known.add(queue);
  }

  /** Inserts ids, each available from its time on. */
  async put(tx: Transaction, queue: string, jobs: readonly { readonly id: string; readonly from: Date }[]): Promise<void> {
    const boss = await this.#boss();
    const given = jobs.map(({ id, from }) => ({ id, startAfter: from.toISOString() }));
    await boss.insert(queue, given, { db: over(tx) });
  }

  /** Takes at most `limit` due ids, oldest first. Skips ids that other transactions are taking. */
  async take(tx: Transaction, queue: string, limit: number): Promise<readonly string[]> {
    const boss = await this.#boss();
    const jobs = await boss.fetch(queue, { batchSize: limit, db: over(tx) });
    return jobs.map(({ id }) => id);
  }

  /** Removes ids, waiting or taken. */
  async remove(tx: Transaction, queue: string, ids: readonly string[]): Promise<void> {
    const boss = await this.#boss();
    await boss.deleteJob(queue, [...ids], { db: over(tx) });
  }

  /** Returns the version of the schema; undefined if it does not exist. */
  async #version(): Promise<number | undefined> {
    const { rows: found } = await this.#database.query(
      "select 1 from pg_tables where schemaname = $1 and tablename = 'version'",
      [schema],
    );
    if (found.length === 0) return undefined;
    const { rows } = await this.#database.query<{ version: number }>(`select version from ${schema}.version`);
    return rows[0]?.version;
  }

  async #boss(): Promise<PgBoss> {
    this.#opening ??= this.#open();
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async #open(): Promise<PgBoss> {
    // Imported here because it loads slowly and is needed only after the listeners are open.
    const { PgBoss } = await import("pg-boss");
    const boss = new PgBoss({
      db: new PortDatabase(this.#database),
      schema,
      // The run record controls leases, timeouts, retries, schedules and retention: pg-boss must not move a job by itself.
      supervise: false,
      schedule: false,
    });
    boss.on("error", (error) => this.#logger.warn({ err: error }, "activity: a background task of pg-boss failed"));
    await boss.start();
    return boss;
  }
}

function over(executor: SqlExecutor): BossDatabase {
  return {
    executeSql: async (text, values) => {
      const { rows } = await executor.query(text, values);
      return { rows: [...rows] };
    },
  };
}

/**
 * pg-boss sends several statements between BEGIN and COMMIT in one text. A failed one must not leave a pooled connection inside
 * a transaction.
 */
class PortDatabase implements BossDatabase {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }> {
    const [, bracketed] = /^\s*BEGIN;(.*)COMMIT;?\s*$/is.exec(text) ?? [];
    if (bracketed === undefined) return over(this.#database).executeSql(text, values);
    return this.#database.transaction((tx) => over(tx).executeSql(bracketed, values));
  }
}
