import { type PostgresConnection, PostgresDatabase } from "@appserver/database-postgres";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { testPool } from "@appserver/testing/kit";
import type { EventSystem } from "../open-loop.ts";

const subscriberNames = ["one", "two"];
const channel = "bench_queue";

/**
 * The peer: the same work on PostgreSQL alone, in this process. One commit per trigger with a row for each subscriber, NOTIFY,
 * claims with SKIP LOCKED, one delete per claim. No names, permissions, streams, retries, order or event on a bus.
 */
export class BareQueue implements EventSystem {
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
      `create table if not exists bench_queue (id bigint generated always as identity primary key, name text, data text,
       claimed boolean default false)`,
    );
    await database.query("create index if not exists bench_queue_open on bench_queue (name, id) where not claimed");
    const queue = new BareQueue(database);
    await database.listen(channel, () => {
      for (const name of subscriberNames) queue.#wake(name);
    });
    return queue;
  }

  async trigger(number: number): Promise<unknown> {
    return this.#database.query(
      `with added as (insert into bench_queue (name, data) select name, $2 from unnest($1::text[]) as name)
       select pg_notify('${channel}', '')`,
      [subscriberNames, String(number)],
    );
  }

  async close(): Promise<void> {
    await this.#database.query("drop table bench_queue");
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
        `update bench_queue set claimed = true where id = any (array(
           select id from bench_queue where name = $1 and not claimed order by id limit 200 for update skip locked))
         returning id, data`,
        [name],
      );
      if (rows.length === 0) return;
      for (const { data } of rows) this.onDelivery(Number(data));
      await this.#database.query("delete from bench_queue where id = any ($1)", [rows.map(({ id }) => id)]);
    }
  }
}
