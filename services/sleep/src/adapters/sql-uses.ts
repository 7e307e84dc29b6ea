import type { Database } from "@appserver/kernel/ports";
import type { IdleQuery, Uses } from "../ports.ts";

export class SqlUses implements Uses {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async mark(appIds: readonly string[]): Promise<void> {
    await this.#database.query(
      `insert into sleep.uses (app_id, used_at) select id, now() from unnest($1::uuid[]) as id
       on conflict (app_id) do update set used_at = excluded.used_at`,
      [appIds],
    );
  }

  async idle(apps: readonly IdleQuery[]): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ readonly id: string }>(
      `with asked as (select * from unnest($1::uuid[], $2::bigint[]) as app (id, idle_ms)),
       added as (
         insert into sleep.uses (app_id, used_at) select id, now() from asked on conflict do nothing)
       select id from asked join sleep.uses on app_id = id where used_at < now() - idle_ms * interval '1 millisecond'`,
      [apps.map(({ appId }) => appId), apps.map(({ idleMs }) => idleMs)],
    );
    return rows.map(({ id }) => id);
  }

  async forget(appId: string): Promise<void> {
    await this.#database.query("delete from sleep.uses where app_id = $1", [appId]);
  }
}
