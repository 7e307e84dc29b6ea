import { type Logger, messageOf } from "@appserver/kernel";
import type { Database, SqlExecutor, Transaction } from "@appserver/kernel/ports";
import type { PgBoss } from "pg-boss";

/** Schema of pg-boss, which creates and migrates it under a lock of its own. */
const schema = "activity_queue";

interface BossDatabase {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** What waits to be run, by queue: pg-boss over the platform's database port, inside the caller's transactions. */
export class BossQueue {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #known = new Set<string>();
  #opening: Promise<PgBoss> | undefined;

  constructor(database: Database, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
  }

  /** Loads pg-boss and brings its schema up to date; done by the first use, too. Tried again after a failure. */
  async open(): Promise<void> {
    await this.#boss();
  }

  /** {@link open}, saying what it changed: `activity_queue/<version>`, or nothing. */
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

  /** Creates the queue unless it is there. Not in a transaction: it must be there before one puts into it. */
  async ensure(queue: string): Promise<void> {
    if (this.#known.has(queue)) return;
    const boss = await this.#boss();
    if (!(await boss.getQueue(queue))) await boss.createQueue(queue, { retryLimit: 0 });
    this.#known.add(queue);
  }

  /** Puts ids in, each to be taken from its time on. What waits or waited under an id is replaced where `again` says so. */
  async put(tx: Transaction, queue: string, jobs: readonly { readonly id: string; readonly from: Date }[]): Promise<void> {
    const boss = await this.#boss();
    const given = jobs.map(({ id, from }) => ({ id, startAfter: from.toISOString() }));
    await boss.insert(queue, given, { db: over(tx) });
  }

  /** Takes at most `limit` whose time has come, oldest first. What other transactions take at the same time is passed over. */
  async take(tx: Transaction, queue: string, limit: number): Promise<readonly string[]> {
    const boss = await this.#boss();
    const jobs = await boss.fetch(queue, { batchSize: limit, db: over(tx) });
    return jobs.map(({ id }) => id);
  }

  /** Takes them out for good, whether they wait or were taken. */
  async remove(tx: Transaction, queue: string, ids: readonly string[]): Promise<void> {
    const boss = await this.#boss();
    await boss.deleteJob(queue, [...ids], { db: over(tx) });
  }

  /** Of its schema; undefined where there is none. */
  async #version(): Promise<number | undefined> {
    const { rows: found } = await this.#database.query(
      "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'version'",
      [schema],
    );
    if (found.length === 0) return undefined;
    const { rows } = await this.#database.query<{ version: number }>(`SELECT version FROM ${schema}.version`);
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
    // Here, since it is needed only after the listeners are open, and takes a while to load.
    const { PgBoss } = await import("pg-boss");
    const boss = new PgBoss({
      db: new PortDatabase(this.#database),
      schema,
      // Leases, timeouts, retries, schedules and retention are the run record's: nothing may move a job behind its back.
      supervise: false,
      schedule: false,
    });
    boss.on("error", (error) => this.#logger.warn({ reason: messageOf(error) }, "a background task of pg-boss failed"));
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

/** pg-boss brackets several statements by BEGIN and COMMIT in one text. One that fails must not leave a pooled connection inside. */
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
