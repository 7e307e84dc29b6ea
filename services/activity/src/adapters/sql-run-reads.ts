import { Conditions, type Page, pageOf } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import type { RunAttempt, RunRecord } from "../domain/run.ts";
import type { RunQuery, RunReads, UnfinishedStatus } from "../ports.ts";
import { runs } from "./run-rows.ts";

/** Every worker counts at every scrape, so the count must stay cheap even with a very large backlog. */
const maxCounted = 10_000;

/** Reads runs in PostgreSQL. */
export class SqlRunReads implements RunReads {
  readonly #sql: SqlExecutor;

  constructor(sql: SqlExecutor) {
    this.#sql = sql;
  }

  async find(runId: string): Promise<RunRecord | undefined> {
    const { rows } = await this.#sql.query(`select ${runs.selected} from activity.runs where id = $1`, [runId]);
    return rows[0] && runs.record(rows[0]);
  }

  async values(runId: string) {
    const { rows } = await this.#sql.query<{ input: string | null; output: string | null }>(
      "select input::text as input, output::text as output from activity.runs where id = $1",
      [runId],
    );
    return { input: rows[0]?.input ?? undefined, output: rows[0]?.output ?? undefined };
  }

  async attempts(runId: string): Promise<readonly RunAttempt[]> {
    const { rows } = await this.#sql.query<{ entry: string }>(
      `select entry::text as entry from activity.runs, unnest(attempts) with ordinality as ended (entry, position)
       where id = $1 order by position`,
      [runId],
    );
    return rows.map(({ entry }) => {
      const { startedAt, finishedAt, ...rest } = JSON.parse(entry) as Stored;
      return { ...rest, startedAt: new Date(startedAt), finishedAt: new Date(finishedAt) };
    });
  }

  /** Ids sort by time. */
  async list(query: RunQuery): Promise<Page<RunRecord>> {
    const { text, values } = conditions(query);
    const { rows } = await this.#sql.query(
      `select ${runs.selected} from activity.runs where ${text} order by id desc limit ${query.limit + 1}`,
      values,
    );
    return pageOf(rows.map(runs.record), query.limit);
  }

  async count(query: Pick<RunQuery, "appName" | "status">): Promise<number> {
    const { text, values } = conditions(query);
    const { rows } = await this.#sql.query<{ count: number }>(
      `select count(*) as count from activity.runs where ${text}`,
      values,
    );
    return rows[0]?.count ?? 0;
  }

  async ofTraces(traceIds: readonly string[], limit: number): Promise<readonly RunRecord[]> {
    const { rows } = await this.#sql.query(
      `select ${runs.selected} from activity.runs
       where traceparent is not null and split_part(traceparent, '-', 2) = any ($1) order by id limit $2`,
      [traceIds, limit],
    );
    return rows.map(runs.record);
  }

  async dueApps(appNames: readonly string[]): Promise<readonly string[]> {
    const { rows } = await this.#sql.query<{ name: string }>(
      `select name from unnest($1::text[]) as name where exists (
         select from activity.runs where app_name = name and status = 'QUEUED' and scheduled_for <= clock_timestamp())`,
      [appNames],
    );
    return rows.map(({ name }) => name);
  }

  async busyApps(appNames: readonly string[], aheadMs: number): Promise<readonly string[]> {
    const { rows } = await this.#sql.query<{ name: string }>(
      `with ahead as (select clock_timestamp() + $2 * interval '1 millisecond' as until)
       select name from unnest($1::text[]) as name, ahead where
         exists (select from activity.runs where app_name = name and status = 'RUNNING')
         or exists (select from activity.runs where app_name = name and status = 'QUEUED' and scheduled_for <= until)
         or exists (select from activity.schedules
                    where app_name = name and enabled and not paused and next_run_at <= until)`,
      [appNames, aheadMs],
    );
    return rows.map(({ name }) => name);
  }

  async queued(appName: string, limit: number): Promise<number> {
    const { rows } = await this.#sql.query<{ count: number }>(
      `select count(*)::int as count from (
         select 1 from activity.runs where app_name = $1 and status = 'QUEUED' limit $2
       ) as queued`,
      [appName, limit],
    );
    return rows[0]?.count ?? 0;
  }

  /** Counts each status in the order of its index. */
  async unfinished(): Promise<ReadonlyMap<UnfinishedStatus, number>> {
    const { rows } = await this.#sql.query<{ status: UnfinishedStatus; count: number }>(
      `select 'delayed' as status, count(*)::int as count from (select 1 from activity.runs
         where status = 'QUEUED' and scheduled_for > clock_timestamp() order by scheduled_for limit ${maxCounted}) as delayed
       union all select 'queued', count(*)::int from (select 1 from activity.runs
         where status = 'QUEUED' and scheduled_for <= clock_timestamp() order by scheduled_for limit ${maxCounted}) as queued
       union all select 'running', count(*)::int from (select 1 from activity.runs
         where status = 'RUNNING' order by app_name, activity limit ${maxCounted}) as running`,
    );
    return new Map(rows.map(({ status, count }) => [status, count]));
  }
}

/** Values as JSON has them. */
type Stored = Omit<RunAttempt, "startedAt" | "finishedAt"> & { readonly startedAt: string; readonly finishedAt: string };

function conditions({ appName, status, after }: Pick<RunQuery, "appName" | "status" | "after">): Conditions {
  const where = new Conditions();
  if (appName !== undefined) where.add("app_name = ?", appName);
  if (status !== undefined) where.add("status = ?", status === "DELAYED" ? "QUEUED" : status);
  if (status === "DELAYED") where.addFixed("scheduled_for > clock_timestamp()");
  if (status === "QUEUED") where.addFixed("scheduled_for <= clock_timestamp()");
  if (after !== undefined) where.add("id < ?::uuid", after);
  return where;
}
