import type { StoredDatabase } from "@appserver/contracts/deployments";
import type { Database } from "@appserver/kernel/ports";
import type { AppDatabaseSize, DatabaseRecords } from "../ports.ts";

interface DatabaseRow {
  readonly app_id: string;
  readonly app_name: string;
  readonly used_bytes: number;
  readonly limit_bytes: number;
  readonly full_since: Date | null;
  readonly measured_at: Date;
}

const columns = "app_id, app_name, used_bytes, limit_bytes, full_since, measured_at";

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
    const { rows } = await this.#database.query<DatabaseRow>(
      `select ${columns} from orchestration.databases where app_id = $1`,
      [appId],
    );
    return rows[0] && stored(rows[0]);
  }

  async all(): Promise<readonly StoredDatabase[]> {
    const { rows } = await this.#database.query<DatabaseRow>(`select ${columns} from orchestration.databases`);
    return rows.map(stored);
  }
}

function stored(row: DatabaseRow): StoredDatabase {
  return {
    appId: row.app_id,
    appName: row.app_name,
    usedBytes: row.used_bytes,
    limitBytes: row.limit_bytes,
    fullSince: row.full_since ?? undefined,
    measuredAt: row.measured_at,
  };
}
