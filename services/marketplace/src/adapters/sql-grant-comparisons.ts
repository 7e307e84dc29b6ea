import type { AuditLog, Database } from "@appserver/kernel/ports";
import type { AppState } from "../domain/app-state.ts";
import type { RequiredScope } from "../domain/required-permissions.ts";
import type { AuditRecord, GrantComparisons, MissingGrants, RecordedGrants } from "../ports.ts";

interface RecordedRow {
  id: string;
  name: string;
  state: AppState;
  installed_at: Date | null;
  own: string[];
  required: readonly { readonly scope: string; readonly owner: string | null }[];
  incomplete: boolean;
}

interface MissingRow {
  app_id: string;
  missing: number;
  missing_since: Date;
}

/** Stores comparisons in the rows of the grants, so that replicas share them. Times are the database's. */
export class SqlGrantComparisons implements GrantComparisons {
  readonly #database: Database;
  readonly #audit: Pick<AuditLog, "record">;

  constructor(database: Database, audit: Pick<AuditLog, "record">) {
    this.#database = database;
    this.#audit = audit;
  }

  async claim(maxAgeMs: number, limit: number): Promise<readonly RecordedGrants[]> {
    const { rows } = await this.#database.query<RecordedRow>(
      `update marketplace.grants set compared_at = now() from marketplace.apps
       where apps.id = grants.app_id and grants.app_id in (
         select app_id from marketplace.grants
         where in_force and (compared_at is null or compared_at < now() - make_interval(secs => $1))
         order by compared_at nulls first, app_id limit $2 for update skip locked)
       returning apps.id, apps.name, apps.state, apps.installed_at, grants.own, grants.required, missing_since is not null as incomplete`,
      [maxAgeMs / 1_000, limit],
    );
    return rows.map(({ id, name, state, installed_at: installedAt, own, required, incomplete }) => ({
      app: { id, name, state, installedAt: installedAt ?? undefined },
      granted: { own, required: required.map(({ scope, owner }): RequiredScope => ({ scope, owner: owner ?? undefined })) },
      isIncomplete: incomplete,
    }));
  }

  async reset(): Promise<void> {
    await this.#database.query("update marketplace.grants set compared_at = null");
  }

  async noteMissing(appId: string, tuples: number): Promise<void> {
    await this.#database.query(
      "update marketplace.grants set missing = $2, missing_since = coalesce(missing_since, now()) where app_id = $1",
      [appId, tuples],
    );
  }

  noteComplete(appId: string, audit: AuditRecord | undefined): Promise<void> {
    return this.#database.transaction(async (tx) => {
      await tx.query("update marketplace.grants set missing = 0, missing_since = null where app_id = $1", [appId]);
      if (audit) await this.#audit.record(tx, audit);
    });
  }

  async missing(appId?: string): Promise<ReadonlyMap<string, MissingGrants>> {
    const { rows } = await this.#database.query<MissingRow>(
      `select app_id, missing, missing_since from marketplace.grants
       where missing_since is not null and ($1::uuid is null or app_id = $1)`,
      [appId ?? null],
    );
    return new Map(rows.map((row) => [row.app_id, { tuples: row.missing, since: row.missing_since }]));
  }
}
