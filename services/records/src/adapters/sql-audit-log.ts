import { type Clock, Conditions, uuidv7 } from "@appserver/kernel";
import type {
  AuditEntry,
  AuditFilter,
  AuditLog,
  AuditQuery,
  AuditRecord,
  Database,
  Transaction,
} from "@appserver/kernel/ports";

export interface SqlAuditLogOptions {
  readonly database: Database;
  readonly clock: Clock;
}

/** Stores the audit log as rows of `platform.audit_log`, each in the transaction of the action that it records. */
export class SqlAuditLog implements AuditLog {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor({ database, clock }: SqlAuditLogOptions) {
    this.#database = database;
    this.#clock = clock;
  }

  async record(tx: Transaction, record: AuditRecord): Promise<void> {
    const now = this.#clock.now();
    await tx.query(
      `insert into platform.audit_log (id, at, actor, action, target, outcome, details, trace_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        uuidv7(now),
        new Date(now),
        record.actor,
        record.action,
        record.target,
        record.outcome,
        record.details === undefined ? null : JSON.stringify(record.details),
        record.traceId ?? null,
      ],
    );
  }

  async read({ after, limit, ...filter }: AuditQuery): Promise<readonly AuditEntry[]> {
    const where = conditions(filter);
    if (after !== undefined) where.add("id < ?::uuid", after);
    const { rows } = await this.#database.query<AuditRow>(
      `select id, at, actor, action, target, outcome, details, trace_id from platform.audit_log
       where ${where.text} order by id desc limit ${limit}`,
      where.values,
    );
    return rows.map(toEntry);
  }

  async ofTraces(traceIds: readonly string[], limit: number): Promise<readonly AuditEntry[]> {
    const { rows } = await this.#database.query<AuditRow>(
      `select id, at, actor, action, target, outcome, details, trace_id from platform.audit_log
       where trace_id = any ($1) order by id limit $2`,
      [traceIds, limit],
    );
    return rows.map(toEntry);
  }

  async count(filter: AuditFilter): Promise<number> {
    const { text, values } = conditions(filter);
    const { rows } = await this.#database.query<{ count: number }>(
      `select count(*)::int as count from platform.audit_log where ${text}`,
      values,
    );
    return rows[0]?.count ?? 0;
  }
}

function conditions({ target, actor, action, outcome, since, until }: AuditFilter): Conditions {
  const where = new Conditions();
  if (target !== undefined) where.add("target = ?", target);
  if (actor !== undefined) where.add("actor = ?", actor);
  if (action !== undefined) where.add("action = ?", action);
  if (outcome !== undefined) where.add("outcome = ?", outcome);
  if (since !== undefined) where.add("at >= ?", since);
  if (until !== undefined) where.add("at < ?", until);
  return where;
}

interface AuditRow {
  id: string;
  at: Date;
  actor: string;
  action: string;
  target: string;
  outcome: AuditEntry["outcome"];
  details: Readonly<Record<string, unknown>> | null;
  trace_id: string | null;
}

function toEntry({ details, trace_id, ...row }: AuditRow): AuditEntry {
  return { ...row, ...(details === null ? {} : { details }), ...(trace_id === null ? {} : { traceId: trace_id }) };
}
