import type { DataRemoval, StorageRemoval } from "@appserver/contracts/deployments";
import type { Database } from "@appserver/kernel/ports";
import type { DataRemovals } from "../ports.ts";

interface RemovalRow {
  readonly app_id: string;
  readonly app_name: string;
}

interface DataRow extends RemovalRow {
  readonly generation: number;
}

interface StorageRow extends RemovalRow {
  readonly name: string;
  readonly deployment_id: string | null;
}

export class SqlDataRemovals implements DataRemovals {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async request(removal: DataRemoval | StorageRemoval, at: Date): Promise<void> {
    const { appId, appName } = removal;
    if ("storage" in removal) {
      await this.#database.query(
        `insert into orchestration.storage_removals (app_id, app_name, name, deployment_id, requested_at)
         values ($1, $2, $3, $4, $5)
         on conflict (app_id, name) do update set deployment_id = excluded.deployment_id`,
        [appId, appName, removal.storage, removal.deploymentId ?? null, at],
      );
      return;
    }
    await this.#database.query(
      `insert into orchestration.data_removals as open (app_id, app_name, generation, requested_at) values ($1, $2, $3, $4)
       on conflict (app_id) do update set generation = greatest(open.generation, excluded.generation)`,
      [appId, appName, removal.generation, at],
    );
  }

  async ofApp(appName: string): Promise<readonly (DataRemoval | StorageRemoval)[]> {
    const [data, storage] = await Promise.all([
      this.#database.query<DataRow>(
        "select app_id, app_name, generation from orchestration.data_removals where app_name = $1",
        [appName],
      ),
      this.#database.query<StorageRow>(
        "select app_id, app_name, name, deployment_id from orchestration.storage_removals where app_name = $1",
        [appName],
      ),
    ]);
    return [
      ...data.rows.map((row) => ({ ...ownerOf(row), generation: row.generation })),
      ...storage.rows.map((row) => ({ ...ownerOf(row), storage: row.name, deploymentId: row.deployment_id ?? undefined })),
    ];
  }

  async appNames(): Promise<readonly string[]> {
    const { rows } = await this.#database.query<Pick<RemovalRow, "app_name">>(
      "select app_name from orchestration.data_removals union select app_name from orchestration.storage_removals",
    );
    return rows.map(({ app_name }) => app_name);
  }

  async done(removal: DataRemoval | StorageRemoval): Promise<void> {
    const { appId } = removal;
    if ("storage" in removal)
      await this.#database.query("delete from orchestration.storage_removals where app_id = $1 and name = $2", [
        appId,
        removal.storage,
      ]);
    else await this.#database.query("delete from orchestration.data_removals where app_id = $1", [appId]);
  }
}

function ownerOf({ app_id, app_name }: RemovalRow) {
  return { appId: app_id, appName: app_name };
}
