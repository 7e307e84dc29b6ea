import type { Database, SqlExecutor } from "@appserver/kernel/ports";
import type { AppRecord } from "../domain/app.ts";
import type { AppEvent } from "../domain/app-events.ts";
import type { RequiredScope } from "../domain/required-permissions.ts";
import type { Approval, ApprovalStore, Grants, StoredCommand } from "../ports.ts";
import { type ChangeWriters, envelope, insertOperation } from "./save-app.ts";

interface ApprovalRow {
  app_id: string;
  owner: string;
  scope: string;
  request_digest: string;
  approved_by: string;
  approved_at: Date;
}

interface GrantsRow {
  own: string[];
  required: readonly { readonly scope: string; readonly owner: string | null }[];
  in_force: boolean;
}

/** Stores approvals and grants in PostgreSQL, schema `marketplace`. */
export class SqlApprovalStore implements ApprovalStore {
  readonly #database: Database;
  readonly #writers: ChangeWriters;

  constructor(database: Database, writers: ChangeWriters) {
    this.#database = database;
    this.#writers = writers;
  }

  async approvals(appId: string): Promise<readonly Approval[]> {
    return (await this.approvalsOf([appId])).get(appId) ?? [];
  }

  async approvalsOf(appIds: readonly string[]): Promise<ReadonlyMap<string, readonly Approval[]>> {
    const { rows } = await this.#database.query<ApprovalRow>(
      `select app_id, owner, scope, request_digest, approved_by, approved_at from marketplace.permission_approvals
       where app_id = any($1::uuid[]) order by scope, owner, approved_at`,
      [appIds],
    );
    return new Map([...Map.groupBy(rows, (row) => row.app_id)].map(([appId, ofApp]) => [appId, ofApp.map(toApproval)]));
  }

  approve(
    app: AppRecord,
    approvals: readonly Approval[],
    command: StoredCommand,
    eventOf: (added: readonly Approval[]) => AppEvent,
  ): Promise<void> {
    const { audit, outbox, source } = this.#writers;
    return this.#database.transaction(async (tx) => {
      const added = await insertApprovals(tx, app.id, approvals);
      await insertOperation(tx, app, command.operation);
      await audit.record(tx, command.audit);
      if (added.length > 0) await outbox.append(tx, [envelope(eventOf(added), app, source, command.operation.id)]);
    });
  }

  withdraw(app: AppRecord, scopes: readonly string[], { operation, audit }: StoredCommand): Promise<void> {
    return this.#database.transaction(async (tx) => {
      await tx.query("delete from marketplace.permission_approvals where app_id = $1 and scope = any ($2)", [app.id, scopes]);
      await insertOperation(tx, app, operation);
      await this.#writers.audit.record(tx, audit);
    });
  }

  async grants(appId: string): Promise<Grants | undefined> {
    const { rows } = await this.#database.query<GrantsRow>(
      "select own, required, in_force from marketplace.grants where app_id = $1",
      [appId],
    );
    const [row] = rows;
    if (!row) return undefined;
    const required = row.required.map(({ scope, owner }): RequiredScope => ({ scope, owner: owner ?? undefined }));
    return { own: row.own, required, inForce: row.in_force };
  }

  async recordGrants(appId: string, grants: Grants): Promise<void> {
    const required = grants.required.map(({ scope, owner }) => ({ scope, owner: owner ?? null }));
    await this.#database.query(
      `insert into marketplace.grants (app_id, own, required, in_force) values ($1, $2, $3, $4)
       on conflict (app_id) do update set own = excluded.own, required = excluded.required, in_force = excluded.in_force`,
      [appId, grants.own, JSON.stringify(required), grants.inForce],
    );
  }

  toRevoke(): Promise<readonly string[]> {
    return this.#names("join marketplace.grants on grants.app_id = apps.id and not grants.in_force");
  }

  async #names(condition: string): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ name: string }>(
      `select name from marketplace.apps ${condition} order by name collate "C"`,
    );
    return rows.map(({ name }) => name);
  }
}

function toApproval(row: ApprovalRow): Approval {
  return {
    scope: row.scope,
    owner: row.owner === "" ? undefined : row.owner,
    digest: row.request_digest,
    approvedBy: row.approved_by,
    approvedAt: row.approved_at,
  };
}

/** Returns the approvals that were not stored before. */
async function insertApprovals(
  executor: SqlExecutor,
  appId: string,
  approvals: readonly Approval[],
): Promise<readonly Approval[]> {
  const added: Approval[] = [];
  for (const approval of approvals) {
    const { owner, scope, digest, approvedBy, approvedAt } = approval;
    const { count } = await executor.query(
      `insert into marketplace.permission_approvals (app_id, owner, scope, request_digest, approved_by, approved_at)
       values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
      [appId, owner ?? "", scope, digest, approvedBy, approvedAt],
    );
    if (count > 0) added.push(approval);
  }
  return added;
}
