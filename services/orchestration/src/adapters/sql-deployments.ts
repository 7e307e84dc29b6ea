import type {
  AppFault,
  DataRemoval,
  DeploymentStatus,
  Deployments,
  StorageRemoval,
  StoredDatabase,
  StoredStorage,
} from "@appserver/contracts/deployments";
import { AppError, type Clock } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import type { Deployment } from "../domain/deployment.ts";
import { selectDeployments, selectFaults, toInstances } from "./deployment-rows.ts";
import { sendReconcileRequest } from "./reconcile-requests.ts";
import { requestSleep, requestWake } from "./sleep-requests.ts";
import { SqlDataRemovals } from "./sql-data-removals.ts";
import { SqlDatabaseRecords } from "./sql-database-records.ts";
import { SqlStorageRecords } from "./sql-storage-records.ts";

/** Reads the tables of the orchestrators. Requests are stored, and announced to the orchestrators. */
export class SqlDeployments implements Deployments {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
    this.#database = database;
    this.#clock = clock;
  }

  async find(appId: string, generation?: number): Promise<Deployment | undefined> {
    const [found] =
      generation === undefined
        ? await selectDeployments(this.#database, "where role = 'current' and app_id = $1", appId)
        : await selectDeployments(
            this.#database,
            "where app_id = $1 and generation = $2 order by created_at desc, id desc limit 1",
            appId,
            generation,
          );
    return found;
  }

  async statuses(): Promise<readonly DeploymentStatus[]> {
    const { rows } = await this.#database.query<NullableStatus>(
      `select app_id as "appId", generation, state, final, endpoint, wanted_instances as "wantedInstances", instances,
              image_digest as "imageDigest"
       from orchestration.deployments where role is not null order by id`,
    );
    return rows.map(({ endpoint, wantedInstances, instances, imageDigest, ...row }) => ({
      ...row,
      endpoint: endpoint ?? undefined,
      wantedInstances: wantedInstances ?? undefined,
      instances: instances === null ? undefined : toInstances(instances),
      imageDigest: imageDigest ?? undefined,
    }));
  }

  async faults(appId?: string): Promise<readonly AppFault[]> {
    return await selectFaults(this.#database, appId);
  }

  async degraded(): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ readonly app_id: string }>(
      "select app_id from orchestration.deployments where role = 'current' and degraded_since is not null order by id",
    );
    return rows.map(({ app_id }) => app_id);
  }

  async outOfDate(): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ app_name: string }>(
      "select app_name from orchestration.deployments where role = 'current' and wanted_configuration is not null order by id",
    );
    return rows.map(({ app_name }) => app_name);
  }

  async restart(appName: string): Promise<void> {
    const requestedAt = new Date(this.#clock.now());
    const { count } = await this.#database.transaction(async (tx) => {
      // Waits for a writer, which may be making another deployment the current one. The update below must see that one.
      await tx.query("select from orchestration.fences where app_name = $1 for share", [appName]);
      return await tx.query(
        "update orchestration.deployments set restart_requested_at = $2 where role = 'current' and app_name = $1",
        [appName, requestedAt],
      );
    });
    if (count === 0) throw new AppError("NOT_FOUND", `${appName} has no deployment to restart`);
    await this.reconcile(appName);
  }

  async sleep(appId: string): Promise<void> {
    const appName = await requestSleep(this.#database, appId);
    if (appName !== undefined) await this.reconcile(appName);
  }

  async wake(appId: string): Promise<void> {
    const appName = await requestWake(this.#database, appId);
    if (appName !== undefined) await this.reconcile(appName);
  }

  async reconcile(appName: string): Promise<void> {
    await sendReconcileRequest(this.#database, appName);
  }

  storage(appId: string): Promise<readonly StoredStorage[]> {
    return new SqlStorageRecords(this.#database).ofApp(appId);
  }

  database(appId: string): Promise<StoredDatabase | undefined> {
    return new SqlDatabaseRecords(this.#database).ofApp(appId);
  }

  async fullDatabases(): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ app_id: string }>(
      "select app_id from orchestration.databases where full_since is not null",
    );
    return rows.map(({ app_id }) => app_id);
  }

  async removeData(removal: DataRemoval | StorageRemoval): Promise<void> {
    await new SqlDataRemovals(this.#database).request(removal, new Date(this.#clock.now()));
    await this.reconcile(removal.appName);
  }
}

type NullableStatus = Omit<DeploymentStatus, "endpoint" | "wantedInstances" | "instances" | "imageDigest"> & {
  readonly endpoint: string | null;
  readonly wantedInstances: number | null;
  readonly instances: unknown;
  readonly imageDigest: string | null;
};
