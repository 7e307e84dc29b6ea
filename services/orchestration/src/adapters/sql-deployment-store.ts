import { type EventType, eventBody } from "@appserver/contracts/events";
import { AppError, uuidv7 } from "@appserver/kernel";
import type { Database, EventEnvelope, Outbox, Transaction } from "@appserver/kernel/ports";
import { type Deployment, promote, retire } from "../domain/deployment.ts";
import type {
  DeploymentContainer,
  DeploymentStatus,
  DeploymentStore,
  DeploymentsByRole,
  EndedImages,
  Writer,
} from "../ports.ts";
import { checkFence } from "./check-fence.ts";
import { allColumns, changingColumns, type DeploymentRow, toDeployment } from "./deployment-rows.ts";
import { endIdentities } from "./end-identities.ts";

type StatusRow = Omit<DeploymentStatus, "endpoint" | "imageDigest"> & {
  readonly endpoint: string | null;
  readonly imageDigest: string | null;
};

/**
 * Stores deployments in schema `orchestration`. Each transition has its event
 * (docs/interface/states.md#deployment-transitions).
 */
export class SqlDeploymentStore implements DeploymentStore, EndedImages {
  readonly #database: Database;
  readonly #outbox: Outbox;
  readonly #source: string;

  /** `source` is the source of the events: `/appserver/<instance>`. */
  constructor(database: Database, outbox: Outbox, source: string) {
    this.#database = database;
    this.#outbox = outbox;
    this.#source = source;
  }

  async ofApp(appName: string): Promise<DeploymentsByRole> {
    const found = await this.#select("where role is not null and app_name = $1", appName);
    return Object.fromEntries(found.map((deployment) => [deployment.role, deployment]));
  }

  async currentByAppId(appId: string): Promise<Deployment | undefined> {
    return (await this.#select("where role = 'current' and app_id = $1", appId))[0];
  }

  async ofGeneration(appId: string, generation: number): Promise<Deployment | undefined> {
    const newest = "where app_id = $1 and generation = $2 order by created_at desc, id desc limit 1";
    return (await this.#select(newest, appId, generation))[0];
  }

  async statuses(): Promise<readonly DeploymentStatus[]> {
    const { rows } = await this.#database.query<StatusRow>(
      `select app_id as "appId", generation, state, final, endpoint, image_digest as "imageDigest"
       from orchestration.deployments where role is not null order by id`,
    );
    return rows.map((row) => ({ ...row, endpoint: row.endpoint ?? undefined, imageDigest: row.imageDigest ?? undefined }));
  }

  async outOfDate(): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ app_name: string }>(
      "select app_name from orchestration.deployments where role = 'current' and wanted_configuration is not null order by id",
    );
    return rows.map(({ app_name }) => app_name);
  }

  async containers(): Promise<readonly DeploymentContainer[]> {
    const { rows } = await this.#database.query<DeploymentContainer>(
      `select id, app_name as "appName", container_name as "containerName", state
       from orchestration.deployments where role is not null`,
    );
    return rows;
  }

  async withRole(): Promise<readonly Deployment[]> {
    return await this.#select("where role is not null order by app_name");
  }

  async endedImages(): Promise<readonly { readonly image: string; readonly digest: string }[]> {
    const { rows } = await this.#database.query<{ readonly image: string; readonly digest: string }>(`
      with live as (
        select app_name, image_digest, state from orchestration.deployments where role is not null and state <> 'STOPPED')
      select distinct ended.image || '@' || ended.image_digest as image, ended.image_digest as digest
      from orchestration.deployments ended
      where ended.image_digest is not null and (ended.role is null or ended.state = 'STOPPED')
        and not exists (
          select from live
          where live.image_digest = ended.image_digest
             or live.app_name = ended.app_name and live.state in ('PENDING', 'PULLING', 'CREATING'))
      order by image`);
    return rows;
  }

  async begin(writer: Writer, deployment: Deployment): Promise<void> {
    const columns = allColumns(deployment);
    const names = columns.map(([column]) => column).join(", ");
    const places = columns.map((_, index) => `$${index + 1}`).join(", ");
    await this.#database.transaction(async (tx) => {
      await checkFence(tx, writer);
      await tx.query("update orchestration.deployments set role = null, last_crash = null where app_name = $1 and role = $2", [
        deployment.appName,
        deployment.role,
      ]);
      await tx.query(
        `insert into orchestration.deployments (${names}) values (${places})`,
        columns.map(([, value]) => value),
      );
      await endIdentities(tx, deployment.appId);
      await this.#outbox.append(tx, [this.#stateChanged(undefined, deployment)]);
    });
  }

  async transition(writer: Writer, before: Deployment, after: Deployment): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await checkFence(tx, writer);
      await update(tx, before, after);
      await endIdentities(tx, after.appId);
      await this.#outbox.append(tx, [this.#stateChanged(before, after)]);
    });
  }

  async amend(writer: Writer, before: Deployment, after: Deployment): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await checkFence(tx, writer);
      await update(tx, before, after);
    });
  }

  async promote(writer: Writer, next: Deployment, replaced: Deployment | undefined, at: Date): Promise<void> {
    const promoted = promote(next, at);
    await this.#database.transaction(async (tx) => {
      await checkFence(tx, writer);
      if (replaced) await update(tx, replaced, retire(replaced, at));
      await update(tx, next, promoted);
      await this.#outbox.append(tx, [this.#stateChanged(next, promoted)]);
    });
  }

  async saveProgress(writer: Writer, deploymentId: string, fraction: number | undefined, status: string): Promise<void> {
    await this.#database.query(
      `update orchestration.deployments set progress = $3, progress_status = $4, updated_at = now()
       where id = $1 and not exists (select 1 from orchestration.fences where app_name = $5 and fence > $2)`,
      [deploymentId, writer.fence, fraction ?? null, status, writer.appName],
    );
  }

  async requestRestart(appName: string, at: Date): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      // Waits for a writer, which may be making another deployment the current one. The update below must see that one.
      await tx.query("select from orchestration.fences where app_name = $1 for share", [appName]);
      const { count } = await tx.query(
        "update orchestration.deployments set restart_requested_at = $2 where role = 'current' and app_name = $1",
        [appName, at],
      );
      return count > 0;
    });
  }

  async #select(condition: string, ...parameters: readonly unknown[]): Promise<readonly Deployment[]> {
    const { rows } = await this.#database.query<DeploymentRow>(`select * from orchestration.deployments ${condition}`, [
      ...parameters,
    ]);
    return rows.map(toDeployment);
  }

  #stateChanged(before: Deployment | undefined, after: Deployment): EventEnvelope {
    const time = after.updatedAt.toISOString();
    const app = { name: after.appName, id: after.appId, version: after.appVersion };
    return {
      id: uuidv7(),
      type: "deployment.state_changed" satisfies EventType,
      source: this.#source,
      subject: after.appName,
      time,
      body: {
        ...eventBody<"deployment.state_changed">(app, time, {
          deploymentId: after.id,
          from: before?.state ?? null,
          to: after.state,
          healthStatus: after.healthStatus,
          endpoint: after.endpoint ?? null,
          error: after.lastError ?? null,
        }),
      },
    };
  }
}

/** Throws CONFLICT if the deployment has another state or role than `before`. */
async function update(tx: Transaction, before: Deployment, after: Deployment): Promise<void> {
  const columns = changingColumns(after);
  const assignments = columns.map(([column], index) => `${column} = $${index + 4}`).join(", ");
  // A request that arrived after this change was decided is still open, so it is kept.
  const done = before.restartRequestedAt !== undefined && after.restartRequestedAt === undefined;
  const clear = done ? `, restart_requested_at = nullif(restart_requested_at, $${columns.length + 4})` : "";
  const parameters = [before.id, before.state, before.role ?? null, ...columns.map(([, value]) => value)];
  if (done) parameters.push(before.restartRequestedAt);
  const { count } = await tx.query(
    `update orchestration.deployments set ${assignments}${clear} where id = $1 and state = $2 and role is not distinct from $3`,
    parameters,
  );
  if (count === 0) throw new AppError("CONFLICT", `the deployment of ${before.appName} is no longer ${before.state}`);
}
