import { type Clock, Conditions } from "@appserver/kernel";
import type { Database, ListedRequest, RequestFilter, RequestHistory, StoredRequest } from "@appserver/kernel/ports";
import { pageMethod } from "../domain/page-method.ts";

const keptMs = 3_600_000;
/** How many expired requests each batch of new ones removes at most: several times as many as it can add. */
const removedEachTime = 1_000;
/** Of the requests with one id: so many of the first, and so many of the last. A client may give the same id to all its requests. */
const lookedAt = 200;
const maxTraces = 10;

/** Stores requests as rows of `platform.requests`. */
export class SqlRequestHistory implements RequestHistory {
  readonly #database: Pick<Database, "query">;
  readonly #clock: Clock;

  constructor(database: Pick<Database, "query">, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async append(requests: readonly StoredRequest[]): Promise<void> {
    // Other processes delete at the same time: no batch waits for the rows of another one.
    await this.#database.query(
      `with expired as (
         delete from platform.requests where ctid = any (array(
           select ctid from platform.requests where at < $2 limit ${removedEachTime} for update skip locked)))
       insert into platform.requests
         (at, request_id, trace_id, app_name, pattern, method, status, duration_ms, upstream_ms, reason, caller, client)
       select at, "requestId", "traceId", app, pattern, method, status, "durationMs", "upstreamMs", "reasonId", caller, client
       from json_to_recordset($1) as given (
         at timestamptz, "requestId" text, "traceId" text, app text, pattern text, method text, status integer,
         "durationMs" float8, "upstreamMs" float8, "reasonId" text, caller text, client text)`,
      [JSON.stringify(requests), this.#oldest()],
    );
  }

  async tracesOf(requestId: string): Promise<readonly string[]> {
    // Of each caller the first and the last, then those next to them: who sends the id of another caller's request does not hide it.
    const found = "from platform.requests where request_id = $1 and at >= $2 order by at";
    const { rows } = await this.#database.query<{ readonly trace_id: string }>(
      `with found as (
         (select trace_id, caller, at ${found} limit ${lookedAt})
         union
         (select trace_id, caller, at ${found} desc limit ${lookedAt})),
       ranked as (
         select trace_id, at, least(
           row_number() over (partition by caller order by at), row_number() over (partition by caller order by at desc)) as rank
         from found),
       chosen as (
         select trace_id, max(at) as at from ranked group by trace_id order by min(rank), min(at) limit ${maxTraces})
       select trace_id from chosen order by at desc`,
      [requestId, this.#oldest()],
    );
    return rows.map(({ trace_id }) => trace_id);
  }

  async ofTraces(traceIds: readonly string[], limit: number): Promise<readonly StoredRequest[]> {
    const { rows } = await this.#database.query<RequestRow>(
      "select * from platform.requests where trace_id = any ($1) and at >= $2 order by at limit $3",
      [traceIds, this.#oldest(), limit],
    );
    return rows.map(toRequest);
  }

  async list(
    filter: RequestFilter,
    after: Pick<ListedRequest, "at" | "position"> | undefined,
    limit: number,
  ): Promise<readonly ListedRequest[]> {
    const where = conditions(filter);
    where.add("at >= ?", this.#oldest());
    if (after) where.addFixed(`(at, position) < (${where.parameter(after.at)}, ${where.parameter(after.position)})`);
    const { rows } = await this.#database.query<RequestRow>(
      `select * from platform.requests where ${where.text} order by at desc, position desc limit ${limit}`,
      where.values,
    );
    return rows.map((row) => ({ ...toRequest(row), position: String(row.position) }));
  }

  #oldest(): Date {
    return new Date(this.#clock.now() - keptMs);
  }
}

function conditions({ app, caller, method, isFailed, minStatus, slowerThanMs, since, until }: RequestFilter): Conditions {
  const where = new Conditions();
  // The keys of the indexes are the beginnings of the texts.
  if (app !== undefined) where.add("left(app_name, 255) = left(?, 255) and app_name = ?", app);
  if (caller !== undefined) where.add("left(caller, 255) = left(?, 255) and caller = ?", caller);
  if (method === undefined) where.add("method <> ?", pageMethod);
  else where.add("method = ?", method);
  if (isFailed) where.addFixed("(status >= 400 or reason is not null)");
  if (minStatus !== undefined) where.add("status >= ?", minStatus);
  if (slowerThanMs !== undefined) where.add("duration_ms > ?", slowerThanMs);
  if (since !== undefined) where.add("at >= ?", since);
  if (until !== undefined) where.add("at < ?", until);
  return where;
}

interface RequestRow {
  readonly at: Date;
  readonly request_id: string;
  readonly trace_id: string;
  readonly app_name: string | null;
  readonly pattern: string | null;
  readonly method: string;
  readonly status: number;
  readonly duration_ms: number;
  readonly upstream_ms: number | null;
  readonly reason: string | null;
  readonly caller: string;
  readonly client: string | null;
  readonly position: string | number;
}

function toRequest(row: RequestRow): StoredRequest {
  const { at, method, status, caller } = row;
  return {
    at,
    method,
    status,
    caller,
    requestId: row.request_id,
    traceId: row.trace_id,
    app: row.app_name ?? undefined,
    pattern: row.pattern ?? undefined,
    durationMs: row.duration_ms,
    upstreamMs: row.upstream_ms ?? undefined,
    reasonId: row.reason ?? undefined,
    ...(row.client === null ? {} : { client: row.client }),
  };
}
