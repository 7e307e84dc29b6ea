import { eventBody } from "@appserver/contracts/events";
import { column, columns, json, uuidv7 } from "@appserver/kernel";
import type { Database, EventEnvelope, Outbox, SqlExecutor } from "@appserver/kernel/ports";
import type { BackupRecord } from "../domain/backup-record.ts";
import type { BackupRecords, BackupResult } from "../ports.ts";

/** The columns of `backups.runs`. */
const runs = columns<BackupRecord>({
  id: column,
  state: column,
  dueAt: column,
  requestedAt: column,
  finishedAt: column,
  location: column,
  bytes: column,
  error: column,
  notOfOneMoment: json,
  testedAt: column,
});

/** How many are kept. */
const kept = 500;

export interface SqlBackupRecordsDeps {
  readonly database: Database;
  readonly outbox: Outbox;
  /** CloudEvents source of this process. */
  readonly source: string;
}

/** Keeps the records in PostgreSQL. */
export class SqlBackupRecords implements BackupRecords {
  readonly #deps: SqlBackupRecordsDeps;

  constructor(deps: SqlBackupRecordsDeps) {
    this.#deps = deps;
  }

  async request({ id, dueAt, requestedAt }: Pick<BackupRecord, "id" | "dueAt" | "requestedAt">): Promise<BackupRecord> {
    return await this.#deps.database.transaction(async (tx) => {
      await tx.query(
        `insert into backups.runs (id, state, due_at, requested_at, not_of_one_moment) values ($1, 'REQUESTED', $2, $3, '[]')
         on conflict do nothing`,
        [id, dueAt, requestedAt],
      );
      const [waiting] = await select(tx, "where state = 'REQUESTED'");
      if (!waiting) throw new Error("the request of a backup was not stored");
      return waiting;
    });
  }

  async begin(id: string, at: Date): Promise<string> {
    return await this.#deps.database.transaction(async (tx) => {
      const { rows } = await tx.query<{ id: string }>(
        "update backups.runs set state = 'RUNNING' where state = 'REQUESTED' returning id",
      );
      const [requested] = rows;
      if (requested) return requested.id;
      await tx.query("insert into backups.runs (id, state, requested_at, not_of_one_moment) values ($1, 'RUNNING', $2, '[]')", [
        id,
        at,
      ]);
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
      await tx.query(`delete from backups.runs where id not in (select id from backups.runs order by id desc limit ${kept})`);
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
      if (rows.length > 0) await this.#deps.outbox.append(tx, [this.#event("backup.failed", { error }, at)]);
    });
  }

  list(limit: number): Promise<readonly BackupRecord[]> {
    return select(this.#deps.database, "order by id desc limit $1", limit);
  }

  unfinished(): Promise<readonly BackupRecord[]> {
    return select(this.#deps.database, "where state in ('REQUESTED', 'RUNNING') order by id");
  }

  async lastDueAt(): Promise<Date | undefined> {
    const [newest] = await select(this.#deps.database, "where due_at is not null order by due_at desc limit 1");
    return newest?.dueAt;
  }

  async tested(location: string, at: Date): Promise<void> {
    await this.#deps.database.query("update backups.runs set tested_at = $2 where location = $1", [location, at]);
  }

  async removeUnfinished(): Promise<void> {
    await this.#deps.database.query("delete from backups.runs where state in ('REQUESTED', 'RUNNING')");
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

async function select(
  database: Pick<SqlExecutor, "query">,
  condition: string,
  ...parameters: readonly unknown[]
): Promise<readonly BackupRecord[]> {
  const { rows } = await database.query(`select ${runs.selected} from backups.runs ${condition}`, parameters);
  return rows.map((row) => runs.record(row));
}
