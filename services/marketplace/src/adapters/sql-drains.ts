import type { Database } from "@appserver/kernel/ports";
import type { DrainReport, DrainReports } from "../ports.ts";

/** A replica that was not seen for this time has ended, or cannot reach the database (docs/interface/states.md#drain). */
export const aliveFor = "interval '60 seconds'";

/** Implements the replicas and their reports on PostgreSQL, schema `marketplace`. Every time is that of the database clock. */
export class SqlDrains implements DrainReports {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async beat(replica: string): Promise<boolean> {
    const { rows } = await this.#database.query<{ is_new: boolean }>(
      `with ended as (
         delete from marketplace.replicas where id in (
           select id from marketplace.replicas
           where seen_at < now() - ${aliveFor} and id <> $1 for update skip locked))
       insert into marketplace.replicas (id, joined_at, seen_at) values ($1, now(), now())
       on conflict (id) do update set seen_at = excluded.seen_at
       returning joined_at = seen_at as is_new`,
      [replica],
    );
    return rows[0]?.is_new ?? false;
  }

  async report(replica: string, reports: readonly DrainReport[]): Promise<void> {
    await this.#database.query(
      `insert into marketplace.drains (replica, app_id, generation, exchanges, is_asleep)
       select $1, id, report.generation, report.exchanges, report.is_asleep
       from unnest($2::uuid[], $3::integer[], $4::integer[], $5::boolean[]) as report (app_id, generation, exchanges, is_asleep)
       join marketplace.apps on id = report.app_id
       on conflict (app_id, replica) do update set
         generation = excluded.generation, exchanges = excluded.exchanges, is_asleep = excluded.is_asleep`,
      [
        replica,
        reports.map(({ appId }) => appId),
        reports.map(({ generation }) => generation),
        reports.map(({ exchanges }) => exchanges),
        reports.map(({ isAsleep }) => isAsleep),
      ],
    );
  }

  async leave(replica: string): Promise<void> {
    await this.#database.query("delete from marketplace.replicas where id = $1", [replica]);
  }

  /** Removes every replica. For a process that can be sure that all earlier ones have ended: it need not wait until they expire. */
  async leaveAll(): Promise<void> {
    await this.#database.query("delete from marketplace.replicas");
  }
}
