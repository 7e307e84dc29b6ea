import { type EventType, eventBody } from "@appserver/contracts/events";
import { AppError, uuidv7 } from "@appserver/kernel";
import type { Database, EventEnvelope, Outbox, Transaction } from "@appserver/kernel/ports";
import { type Deployment, promote, retire } from "../domain/deployment.ts";
import type { DeploymentContainer, DeploymentStore, DeploymentsByRole, EndedImages, Writer } from "../ports.ts";
import { checkFence } from "./check-fence.ts";
import { changingFields, deployments, selectDeployments } from "./deployment-rows.ts";
import { endIdentities } from "./end-identities.ts";
import { requestWake } from "./sleep-requests.ts";

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
    const found = await selectDeployments(this.#database, "where role is not null and app_name = $1", appName);
    return Object.fromEntries(found.map((deployment) => [deployment.role, deployment]));
  }

  async containers(): Promise<readonly DeploymentContainer[]> {
    const { rows } = await this.#database.query<DeploymentContainer>(
      `select id, app_name as "appName", container_name as "containerName", state
       from orchestration.deployments where role is not null`,
    );
    return rows;
  }

  async withRole(): Promise<readonly Deployment[]> {
    return await selectDeployments(this.#database, "where role is not null order by app_name");
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
    const names = deployments.names();
    const places = names.map((_, index) => `$${index + 1}`);
    await this.#database.transaction(async (tx) => {
      await checkFence(tx, writer);
      await tx.query("update orchestration.deployments set role = null, last_crash = null where app_name = $1 and role = $2", [
        deployment.appName,
        deployment.role,
      ]);
      await tx.query(`insert into orchestration.deployments (${names.join(", ")}) values (${places.join(", ")})`, [
        ...deployments.values(deployment),
      ]);
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

  async requestWake(appId: string): Promise<void> {
    await requestWake(this.#database, appId);
  }

  async saveProgress(writer: Writer, deploymentId: string, fraction: number | undefined, status: string): Promise<void> {
    await this.#database.query(
      `update orchestration.deployments set progress = $3, progress_status = $4, updated_at = now()
       where id = $1 and not exists (select 1 from orchestration.fences where app_name = $5 and fence > $2)`,
      [deploymentId, writer.fence, fraction ?? null, status, writer.appName],
    );
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
  const assignments = deployments.names(changingFields).map((name, index) => `${name} = $${index + 4}`);
  const parameters = [before.id, before.state, before.role ?? null, ...deployments.values(after, changingFields)];
  // A request that arrived after this change was decided is still open, so it is kept.
  if (before.restartRequestedAt !== undefined && after.restartRequestedAt === undefined) {
    parameters.push(before.restartRequestedAt);
    assignments.push(`restart_requested_at = nullif(restart_requested_at, $${parameters.length})`);
  }
  if (before.state !== after.state) assignments.push("sleep_requested_at = null", "wake_requested_at = null");
  const { count } = await tx.query(
    `update orchestration.deployments set ${assignments.join(", ")} where id = $1 and state = $2 and role is not distinct from $3`,
    parameters,
  );
  if (count === 0) throw new AppError("CONFLICT", `the deployment of ${before.appName} is no longer ${before.state}`);
}
