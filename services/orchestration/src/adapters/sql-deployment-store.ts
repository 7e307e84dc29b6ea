import { type EventType, eventBody } from "@appserver/contracts/events";
import { AppError, uuidv7 } from "@appserver/kernel";
import type { Database, EventEnvelope, Outbox, Transaction } from "@appserver/kernel/ports";
import type { Deployment } from "../domain/deployment.ts";
import type { DeploymentStore, Writer } from "../ports.ts";
import { allColumns, changingColumns, type DeploymentRow, toDeployment } from "./deployment-rows.ts";

/**
 * Stores deployments in schema `orchestration`. Each transition has its event
 * (docs/interface/states.md#deployment-transitions).
 */
export class SqlDeploymentStore implements DeploymentStore {
  readonly #database: Database;
  readonly #outbox: Outbox;
  readonly #source: string;

  /** `source` is the source of the events: `/appserver/<instance>`. */
  constructor(database: Database, outbox: Outbox, source: string) {
    this.#database = database;
    this.#outbox = outbox;
    this.#source = source;
  }

  async current(appName: string): Promise<Deployment | undefined> {
    return await this.#one("select * from orchestration.deployments where is_current and app_name = $1", appName);
  }

  async currentByAppId(appId: string): Promise<Deployment | undefined> {
    return await this.#one("select * from orchestration.deployments where is_current and app_id = $1", appId);
  }

  async list(): Promise<readonly Deployment[]> {
    const { rows } = await this.#database.query<DeploymentRow>(
      "select * from orchestration.deployments where is_current order by app_name",
    );
    return rows.map(toDeployment);
  }

  async begin(writer: Writer, deployment: Deployment): Promise<void> {
    const columns = allColumns(deployment);
    const names = columns.map(([column]) => column).join(", ");
    const places = columns.map((_, index) => `$${index + 1}`).join(", ");
    await this.#database.transaction(async (tx) => {
      await checkFence(tx, writer);
      await tx.query("update orchestration.deployments set is_current = false where is_current and app_name = $1", [
        deployment.appName,
      ]);
      await tx.query(
        `insert into orchestration.deployments (is_current, ${names}) values (true, ${places})`,
        columns.map(([, value]) => value),
      );
      await this.#outbox.append(tx, [this.#stateChanged(undefined, deployment)]);
    });
  }

  async transition(writer: Writer, before: Deployment, after: Deployment): Promise<void> {
    const columns = changingColumns(after);
    const assignments = columns.map(([column], index) => `${column} = $${index + 3}`).join(", ");
    // A request that arrived after this transition was decided is still open, so it is kept.
    const done = before.restartRequestedAt !== undefined && after.restartRequestedAt === undefined;
    const clear = done ? `, restart_requested_at = nullif(restart_requested_at, $${columns.length + 3})` : "";
    const parameters = [before.id, before.state, ...columns.map(([, value]) => value)];
    if (done) parameters.push(before.restartRequestedAt);
    await this.#database.transaction(async (tx) => {
      await checkFence(tx, writer);
      const { count } = await tx.query(
        `update orchestration.deployments set ${assignments}${clear} where id = $1 and state = $2 and is_current`,
        parameters,
      );
      if (count === 0) throw new AppError("CONFLICT", `the deployment of ${writer.appName} is no longer ${before.state}`);
      await this.#outbox.append(tx, [this.#stateChanged(before, after)]);
    });
  }

  async saveProgress(writer: Writer, deploymentId: string, fraction: number | undefined, status: string): Promise<void> {
    await this.#database.query(
      `update orchestration.deployments set progress = $3, progress_status = $4
       where id = $1 and not exists (select 1 from orchestration.fences where app_name = $5 and fence > $2)`,
      [deploymentId, writer.fence, fraction ?? null, status, writer.appName],
    );
  }

  async requestRestart(appName: string, at: Date): Promise<boolean> {
    const { count } = await this.#database.query(
      "update orchestration.deployments set restart_requested_at = $2 where is_current and app_name = $1",
      [appName, at],
    );
    return count > 0;
  }

  async #one(text: string, parameter: string): Promise<Deployment | undefined> {
    const { rows } = await this.#database.query<DeploymentRow>(text, [parameter]);
    return rows[0] && toDeployment(rows[0]);
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

/** Throws CONFLICT if a writer with a newer lease has written. Locks the app's row until the transaction ends. */
async function checkFence(tx: Transaction, { appName, fence }: Writer): Promise<void> {
  const { count } = await tx.query(
    `insert into orchestration.fences as seen (app_name, fence) values ($1, $2)
     on conflict (app_name) do update set fence = excluded.fence where seen.fence <= excluded.fence`,
    [appName, fence],
  );
  if (count === 0) throw new AppError("CONFLICT", `another orchestrator has taken over ${appName}`);
}
