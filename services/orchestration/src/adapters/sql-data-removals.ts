import type { DataRemoval, StorageRemoval } from "@appserver/contracts/deployments";
import { column, columns } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import type { DataRemovals } from "../ports.ts";

const dataRemovals = columns<DataRemoval>({ appId: column, appName: column, generation: column });

const storageRemovals = columns<StorageRemoval>({
  appId: column,
  appName: column,
  storage: { name: "name" },
  deploymentId: column,
});

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
    const where = "where app_name = $1";
    const [data, storage] = await Promise.all([
      this.#database.query<object>(`select ${dataRemovals.selected} from orchestration.data_removals ${where}`, [appName]),
      this.#database.query<object>(`select ${storageRemovals.selected} from orchestration.storage_removals ${where}`, [
        appName,
      ]),
    ]);
    return [...data.rows.map(dataRemovals.record), ...storage.rows.map(storageRemovals.record)];
  }

  async appNames(): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ readonly app_name: string }>(
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
