import { type Clock, Conditions, uuidv7 } from "@appserver/kernel";
import type {
  AuditEntry,
  AuditFilter,
  AuditLog,
  AuditQuery,
  AuditRecord,
  Database,
  TimedAuditRecord,
  Transaction,
} from "@appserver/kernel/ports";

export interface SqlAuditLogOptions {
  readonly database: Database;
  readonly clock: Clock;
}

const columns = ["id", "at", "actor", "action", "target", "outcome", "details", "trace_id", "client"] as const;
const selected = columns.join(", ");

/** Stores the audit log as rows of `platform.audit_log`. */
export class SqlAuditLog implements AuditLog {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor({ database, clock }: SqlAuditLogOptions) {
    this.#database = database;
    this.#clock = clock;
  }

  async record(tx: Transaction, record: AuditRecord): Promise<void> {
    const row = rowOf({ ...record, at: new Date(this.#clock.now()) });
    await tx.query(
      `insert into platform.audit_log (${selected}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      columns.map((name) => row[name]),
    );
  }

  async append(records: readonly TimedAuditRecord[]): Promise<void> {
    // The details are a text within the JSON: PostgreSQL refuses \u0000 in what it takes apart.
    await this.#database.query(
      `insert into platform.audit_log (${selected})
       select id, at, actor, action, target, outcome, details::json, trace_id, client from json_to_recordset($1) as given (
         id uuid, at timestamptz, actor text, action text, target text, outcome text, details text, trace_id text, client text)`,
      [JSON.stringify(records.map(rowOf))],
    );
  }

  async read({ after, limit, ...filter }: AuditQuery): Promise<readonly AuditEntry[]> {
    const where = conditions(filter);
    if (after !== undefined) where.add("id < ?::uuid", after);
    const { rows } = await this.#database.query<AuditRow>(
      `select ${selected} from platform.audit_log
       where ${where.text} order by id desc limit ${limit}`,
      where.values,
    );
    return rows.map(toEntry);
  }

  async ofTraces(traceIds: readonly string[], limit: number): Promise<readonly AuditEntry[]> {
    const { rows } = await this.#database.query<AuditRow>(
      `select ${selected} from platform.audit_log
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

/** Absent values are null. */
function rowOf({
  at,
  traceId,
  client,
  details,
  ...record
}: TimedAuditRecord): Readonly<Record<(typeof columns)[number], unknown>> {
  return {
    ...record,
    id: uuidv7(at.getTime()),
    at,
    details: details === undefined ? null : JSON.stringify(details),
    trace_id: traceId ?? null,
    client: client ?? null,
  };
}

function conditions({ target, actor, client, action, outcome, since, until }: AuditFilter): Conditions {
  const where = new Conditions();
  if (target !== undefined) where.add("target = ?", target);
  if (actor !== undefined) where.add("actor = ?", actor);
  if (client !== undefined) where.add("client = ?", client);
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
  client: string | null;
}

function toEntry({ details, trace_id, client, ...row }: AuditRow): AuditEntry {
  return {
    ...row,
    ...(client === null ? {} : { client }),
    ...(details === null ? {} : { details }),
    ...(trace_id === null ? {} : { traceId: trace_id }),
  };
}
