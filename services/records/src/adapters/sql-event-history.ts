import type { Clock } from "@appserver/kernel";
import type {
  Database,
  EventEnvelope,
  EventHistory,
  SystemEventFilter,
  SystemEventRecord,
  Transaction,
} from "@appserver/kernel/ports";
import { type Present, systemEventRecord } from "./system-event-record.ts";

const dayMs = 24 * 3_600_000;
const keptMs = 30 * dayMs;
/** How many expired events each batch of new ones removes: as many as a batch can add. */
const removedEachTime = 100;

export interface SqlEventHistoryOptions {
  readonly database: Pick<Database, "query">;
  readonly clock: Clock;
  readonly present: Present;
}

/** Stores events as rows of `platform.event_history`. */
export class SqlEventHistory implements EventHistory {
  readonly #database: Pick<Database, "query">;
  readonly #clock: Clock;
  readonly #present: Present;

  constructor({ database, clock, present }: SqlEventHistoryOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#present = present;
  }

  async append(tx: Transaction, events: readonly EventEnvelope[]): Promise<void> {
    const records = events.flatMap((event) => {
      const presented = this.#present(event);
      return presented?.isListed ? [systemEventRecord(event, presented)] : [];
    });
    if (records.length === 0) return;
    await tx.query(
      `with expired as (
         delete from platform.event_history where position in (
           select position from (
             select position, at from platform.event_history order by position limit ${removedEachTime}) as oldest
           where at < $2))
       insert into platform.event_history (id, type, severity, app_name, message, data, at, actor, trace_id, operation_id, sequence)
       select id, type, severity, app_name, message, data::json, at, actor, trace_id, operation_id, sequence
       from json_to_recordset($1) as given (
         id uuid, type text, severity text, app_name text, message text, data text, at timestamptz, actor text, trace_id text,
         operation_id text, sequence bigint)
       on conflict (id) do nothing`,
      [JSON.stringify(records.map(rowOf)), new Date(this.#clock.now() - keptMs)],
    );
  }

  async newest(filter: SystemEventFilter, before: string | undefined, limit: number): Promise<readonly SystemEventRecord[]> {
    const isBefore = `($3::uuid is null or position < ${positionOf} or (${isGone} and id < $3))`;
    return await this.#select(filter, `${isBefore} order by position desc limit $4`, [before ?? null, limit]);
  }

  async following(filter: SystemEventFilter, after: string, limit: number): Promise<readonly SystemEventRecord[]> {
    const isAfter = `(position > ${positionOf} or (${isGone} and id > $3))`;
    return await this.#select(filter, `${isAfter} order by position limit $4`, [after, limit]);
  }

  async pending({ types, appName }: SystemEventFilter, limit: number): Promise<readonly SystemEventRecord[]> {
    const { rows } = await this.#database.query<{ readonly event: EventEnvelope }>(
      "select event from platform.outbox where $1::text is null or subject = $1 order by id limit $2",
      [appName ?? null, limit],
    );
    const records = rows.flatMap(({ event }) => {
      const presented = this.#present(event);
      return presented ? [systemEventRecord(event, presented)] : [];
    });
    return types ? records.filter(({ type }) => types.includes(type)) : records;
  }

  async ofTraces(traceIds: readonly string[], limit: number): Promise<readonly SystemEventRecord[]> {
    return await this.#select({}, "trace_id = any ($3) order by position limit $4", [traceIds, limit]);
  }

  async find(id: string): Promise<SystemEventRecord | undefined> {
    const [found] = await this.#select({}, "id = $3", [id]);
    return found;
  }

  async count(filter: SystemEventFilter): Promise<number> {
    const { rows } = await this.#database.query<{ readonly count: number }>(
      `select count(*)::int as count from platform.event_history where ${matches}`,
      parametersOf(filter),
    );
    return rows[0]?.count ?? 0;
  }

  async #select(filter: SystemEventFilter, rest: string, more: readonly unknown[]): Promise<readonly SystemEventRecord[]> {
    const { rows } = await this.#database.query<HistoryRow>(
      `select * from platform.event_history where ${matches} and ${rest}`,
      [...parametersOf(filter), ...more],
    );
    return rows.map(toRecord);
  }
}

/** Of the event $3. Ids, which are UUIDv7, stand in for it where the event is not stored, or not any more. */
const positionOf = "(select position from platform.event_history where id = $3)";
const isGone = "not exists (select 1 from platform.event_history where id = $3)";
const matches = "($1::text[] is null or type = any($1)) and ($2::text is null or app_name = $2)";

function parametersOf({ types, appName }: SystemEventFilter): readonly unknown[] {
  return [types ?? null, appName ?? null];
}

interface HistoryRow {
  readonly id: string;
  readonly type: string;
  readonly severity: SystemEventRecord["severity"];
  readonly app_name: string | null;
  readonly message: string;
  readonly data: unknown;
  readonly at: Date;
  readonly actor: string | null;
  readonly trace_id: string | null;
  readonly operation_id: string | null;
  readonly sequence: number;
}

/** PostgreSQL texts hold no NUL and no half surrogate pair. JSON that stays unread holds both as escapes. */
function rowOf({ appName, traceId, operationId, message, data, ...record }: SystemEventRecord): object {
  const readable = message.toWellFormed().replaceAll("\0", "\ufffd");
  const ids = { app_name: appName, trace_id: traceId, operation_id: operationId };
  return { ...record, ...ids, message: readable, data: JSON.stringify(data) };
}

function toRecord({ app_name, trace_id, operation_id, actor, ...row }: HistoryRow): SystemEventRecord {
  const { id, type, severity, message, data, at, sequence } = row;
  return {
    id,
    type,
    severity,
    message,
    data,
    at,
    appName: app_name ?? undefined,
    actor: actor ?? undefined,
    traceId: trace_id ?? undefined,
    operationId: operation_id ?? undefined,
    sequence: Number(sequence),
  };
}
