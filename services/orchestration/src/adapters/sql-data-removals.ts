import type { Database, DatabaseOwner } from "@appserver/kernel/ports";
import type { DataRemoval, DataRemovals } from "../ports.ts";

interface RemovalRow {
  readonly app_id: string;
  readonly app_name: string;
  readonly generation: number;
}

export class SqlDataRemovals implements DataRemovals {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async request({ appId, appName, generation }: DataRemoval, at: Date): Promise<void> {
    await this.#database.query(
      `insert into orchestration.data_removals as open (app_id, app_name, generation, requested_at) values ($1, $2, $3, $4)
       on conflict (app_id) do update set generation = greatest(open.generation, excluded.generation)`,
      [appId, appName, generation, at],
    );
  }

  async ofApp(appName: string): Promise<readonly DataRemoval[]> {
    const { rows } = await this.#database.query<RemovalRow>(
      "select app_id, app_name, generation from orchestration.data_removals where app_name = $1",
      [appName],
    );
    return rows.map((row) => ({ appId: row.app_id, appName: row.app_name, generation: row.generation }));
  }

  async appNames(): Promise<readonly string[]> {
    const { rows } = await this.#database.query<Pick<RemovalRow, "app_name">>(
      "select distinct app_name from orchestration.data_removals",
    );
    return rows.map(({ app_name }) => app_name);
  }

  async done({ appId }: DatabaseOwner): Promise<void> {
    await this.#database.query("delete from orchestration.data_removals where app_id = $1", [appId]);
  }
}
