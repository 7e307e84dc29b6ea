import { type PostgresConnection, PostgresDatabase } from "@appserver/database-postgres";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { testPool } from "@appserver/testing/kit";
import type { HookSystem } from "./open-loop.ts";

const subscriberNames = ["one", "two"];
const channel = "bench_queue";

/**
 * The peer: the same work on PostgreSQL alone, in this process. One commit per trigger with a row for each subscriber, NOTIFY,
 * claims with SKIP LOCKED, one delete per claim. No names, permissions, streams, retries, order or event on a bus.
 */
export class BareQueue implements HookSystem {
  readonly subscribers = subscriberNames.length;
  onDelivery: (number: number) => void = () => {};
  onFailure: (error: unknown) => void = () => {};
  readonly #database: PostgresDatabase;
  readonly #working = new Map<string, Promise<void>>();
  readonly #again = new Set<string>();

  private constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  static async open(connection: PostgresConnection): Promise<BareQueue> {
    const database = new PostgresDatabase({ ...testPool, connection, clock: new SystemClock(), logger: silentLogger });
    await database.query(
      `CREATE TABLE IF NOT EXISTS bench_queue (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text, data text,
       claimed boolean DEFAULT false)`,
    );
    await database.query("CREATE INDEX IF NOT EXISTS bench_queue_open ON bench_queue (name, id) WHERE NOT claimed");
    const queue = new BareQueue(database);
    await database.listen(channel, () => {
      for (const name of subscriberNames) queue.#wake(name);
    });
    return queue;
  }

  async trigger(number: number): Promise<unknown> {
    return this.#database.query(
      `WITH added AS (INSERT INTO bench_queue (name, data) SELECT name, $2 FROM unnest($1::text[]) AS name)
       SELECT pg_notify('${channel}', '')`,
      [subscriberNames, String(number)],
    );
  }

  async close(): Promise<void> {
    await this.#database.query("DROP TABLE bench_queue");
    await this.#database.stop();
  }

  #wake(name: string): void {
    if (this.#working.has(name)) {
      this.#again.add(name);
      return;
    }
    this.#working.set(
      name,
      this.#work(name)
        .catch((error: unknown) => this.onFailure(error))
        .finally(() => {
          this.#working.delete(name);
          if (this.#again.delete(name)) this.#wake(name);
        }),
    );
  }

  async #work(name: string): Promise<void> {
    for (;;) {
      const { rows } = await this.#database.query<{ id: number; data: string }>(
        `UPDATE bench_queue SET claimed = true WHERE id = ANY (ARRAY(
           SELECT id FROM bench_queue WHERE name = $1 AND NOT claimed ORDER BY id LIMIT 200 FOR UPDATE SKIP LOCKED))
         RETURNING id, data`,
        [name],
      );
      if (rows.length === 0) return;
      for (const { data } of rows) this.onDelivery(Number(data));
      await this.#database.query("DELETE FROM bench_queue WHERE id = ANY ($1)", [rows.map(({ id }) => id)]);
    }
  }
}
