import { eventBody } from "@appserver/contracts/events";
import { column, columns, json, recordKeyedWork, uuidv7 } from "@appserver/kernel";
import type { AuditLog, AuditRecord, Database, EventEnvelope, Outbox, SqlExecutor } from "@appserver/kernel/ports";
import type { BackupPlan, BackupRecord } from "../domain/backup-record.ts";
import type { BackupRecords, BackupResult } from "../ports.ts";

/** The columns of `backups.runs`. */
const runs = columns<BackupRecord>({
  id: column,
  state: column,
  dueAt: column,
  requestedAt: column,
  startedAt: column,
  finishedAt: column,
  location: column,
  bytes: column,
  error: column,
  notOfOneMoment: json,
  testedAt: column,
});

/** The columns of `backups.plan`, which has one row. */
const plans = columns<BackupPlan>({ schedule: column, target: column, problem: column });

/** How many are kept. */
const kept = 500;

export interface SqlBackupRecordsDeps {
  readonly database: Database;
  readonly outbox: Outbox;
  /** Of a process that takes requests of people. */
  readonly audit?: AuditLog;
  /** CloudEvents source of this process. */
  readonly source: string;
}

/** Keeps the records in PostgreSQL. */
export class SqlBackupRecords implements BackupRecords {
  readonly #deps: SqlBackupRecordsDeps;

  constructor(deps: SqlBackupRecordsDeps) {
    this.#deps = deps;
  }

  async request(
    { id, dueAt, requestedAt }: Pick<BackupRecord, "id" | "dueAt" | "requestedAt">,
    audit?: AuditRecord,
  ): Promise<BackupRecord> {
    return await this.#deps.database.transaction(async (tx) => {
      // One backup is for everything that was requested before it begins.
      const { rows } = await tx.query(
        `insert into backups.runs (id, state, due_at, requested_at, not_of_one_moment) values ($1, 'REQUESTED', $2, $3, '[]')
         on conflict (state) where state in ('REQUESTED', 'RUNNING')
           do update set due_at = coalesce(excluded.due_at, runs.due_at)
         returning ${runs.selected}`,
        [id, dueAt, requestedAt],
      );
      const [row] = rows;
      if (!row) throw new Error("the request of a backup was not stored");
      const waiting = runs.record(row);
      await recordKeyedWork(tx, { backup: waiting.id });
      if (audit && waiting.id === id) await this.#deps.audit?.record(tx, audit);
      return waiting;
    });
  }

  async begin(id: string, at: Date): Promise<string> {
    return await this.#deps.database.transaction(async (tx) => {
      const { rows } = await tx.query<{ id: string }>(
        "update backups.runs set state = 'RUNNING', started_at = $1 where state = 'REQUESTED' returning id",
        [at],
      );
      const [requested] = rows;
      if (requested) return requested.id;
      await tx.query(
        `insert into backups.runs (id, state, requested_at, started_at, not_of_one_moment)
         values ($1, 'RUNNING', $2, $2, '[]')`,
        [id, at],
      );
      return id;
    });
  }

  async complete(id: string, { location, bytes, notOfOneMoment }: BackupResult, at: Date): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      await tx.query(
        `update backups.runs set state = 'COMPLETED', finished_at = $2, location = $3, bytes = $4, not_of_one_moment = $5
         where id = $1`,
        [id, at, location, bytes, JSON.stringify(notOfOneMoment)],
      );
      await deleteOld(tx);
      await this.#deps.outbox.append(tx, [this.#event("backup.completed", {}, at)]);
    });
  }

  async fail(id: string, error: string, at: Date): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      const { rows } = await tx.query(
        `update backups.runs set state = 'FAILED', finished_at = $2, error = $3
         where id = $1 and state in ('REQUESTED', 'RUNNING') returning id`,
        [id, at, error],
      );
      await deleteOld(tx);
      if (rows.length > 0) await this.#deps.outbox.append(tx, [this.#event("backup.failed", { error }, at)]);
    });
  }

  list(limit: number, before?: string): Promise<readonly BackupRecord[]> {
    return select(this.#deps.database, "where $2::uuid is null or id < $2 order by id desc limit $1", limit, before);
  }

  async count(): Promise<number> {
    const { rows } = await this.#deps.database.query<{ count: number }>("select count(*)::int as count from backups.runs");
    return rows[0]?.count ?? 0;
  }

  async find(id: string): Promise<BackupRecord | undefined> {
    return (await select(this.#deps.database, "where id = $1", id))[0];
  }

  async lastCompleted(): Promise<BackupRecord | undefined> {
    return (await select(this.#deps.database, "where state = 'COMPLETED' order by id desc limit 1"))[0];
  }

  async lastTested(): Promise<BackupRecord | undefined> {
    return (await select(this.#deps.database, "where tested_at is not null order by tested_at desc limit 1"))[0];
  }

  unfinished(): Promise<readonly BackupRecord[]> {
    return select(this.#deps.database, "where state in ('REQUESTED', 'RUNNING') order by id");
  }

  async lastDueAt(): Promise<Date | undefined> {
    const [newest] = await select(this.#deps.database, "where due_at is not null order by due_at desc limit 1");
    return newest?.dueAt;
  }

  async tested(location: string, at: Date): Promise<boolean> {
    // A file that is written again under its name is another backup.
    const { count } = await this.#deps.database.query(
      `update backups.runs set tested_at = $2
       where id = (select id from backups.runs where location = $1 and state = 'COMPLETED' order by id desc limit 1)`,
      [location, at],
    );
    return count > 0;
  }

  async removeUnfinished(): Promise<void> {
    await this.#deps.database.query("delete from backups.runs where state in ('REQUESTED', 'RUNNING')");
  }

  async storePlan({ schedule, target, problem }: BackupPlan): Promise<void> {
    await this.#deps.database.query(
      `insert into backups.plan (schedule, target, problem) values ($1, $2, $3)
       on conflict (is_only) do update set schedule = $1, target = $2, problem = $3`,
      [schedule, target, problem],
    );
  }

  async plan(): Promise<BackupPlan | undefined> {
    const { rows } = await this.#deps.database.query(`select ${plans.selected} from backups.plan`);
    return rows[0] && plans.record(rows[0]);
  }

  #event<T extends "backup.completed" | "backup.failed">(
    type: T,
    payload: Parameters<typeof eventBody<T>>[2],
    at: Date,
  ): EventEnvelope {
    const time = at.toISOString();
    const body = { ...eventBody<T>({ name: "", id: "", version: "" }, time, payload) };
    return { id: uuidv7(at.getTime()), type, source: this.#deps.source, subject: "platform", time, body };
  }
}

async function deleteOld(tx: SqlExecutor): Promise<void> {
  await tx.query(`delete from backups.runs where id not in (select id from backups.runs order by id desc limit ${kept})`);
}

async function select(
  database: Pick<SqlExecutor, "query">,
  condition: string,
  ...parameters: readonly unknown[]
): Promise<readonly BackupRecord[]> {
  const { rows } = await database.query(`select ${runs.selected} from backups.runs ${condition}`, parameters);
  return rows.map((row) => runs.record(row));
}
