import type { StoredDatabase } from "@appserver/contracts/deployments";
import { column, columns } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import type { AppDatabaseSize, DatabaseRecords } from "../ports.ts";

const databases = columns<StoredDatabase>({
  appId: column,
  appName: column,
  usedBytes: column,
  limitBytes: column,
  fullSince: column,
  measuredAt: column,
});

export class SqlDatabaseRecords implements DatabaseRecords {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async replace(sizes: readonly AppDatabaseSize[], at: Date): Promise<void> {
    const ids = sizes.map(({ appId }) => appId);
    await this.#database.query(
      `with removed as (delete from orchestration.databases where not app_id = any($1::uuid[]))
       insert into orchestration.databases as kept (app_id, app_name, used_bytes, limit_bytes, full_since, measured_at)
       select app_id, app_name, used_bytes, limit_bytes, case when is_full then $6::timestamptz end, $6
       from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::boolean[])
         as measured (app_id, app_name, used_bytes, limit_bytes, is_full)
       on conflict (app_id) do update set app_name = excluded.app_name, used_bytes = excluded.used_bytes,
         limit_bytes = excluded.limit_bytes, measured_at = excluded.measured_at,
         full_since = case when excluded.full_since is not null then coalesce(kept.full_since, excluded.full_since) end`,
      [
        ids,
        sizes.map(({ appName }) => appName),
        sizes.map(({ usedBytes }) => usedBytes),
        sizes.map(({ limitBytes }) => limitBytes),
        sizes.map(({ isFull }) => isFull),
        at,
      ],
    );
  }

  async ofApp(appId: string): Promise<StoredDatabase | undefined> {
    return (await this.#select("where app_id = $1", appId))[0];
  }

  async all(): Promise<readonly StoredDatabase[]> {
    return await this.#select("");
  }

  async #select(condition: string, ...parameters: readonly unknown[]): Promise<readonly StoredDatabase[]> {
    const statement = `select ${databases.selected} from orchestration.databases ${condition}`;
    return (await this.#database.query<object>(statement, parameters)).rows.map(databases.record);
  }
}
