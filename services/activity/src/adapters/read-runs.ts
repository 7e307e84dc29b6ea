import { type Page, pageOf } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import type { RunRecord } from "../domain/run.ts";
import type { RunQuery, UnfinishedStatus } from "../ports.ts";
import { type RunRow, runColumns, toRun } from "./run-rows.ts";

export async function findRun(sql: SqlExecutor, runId: string): Promise<RunRecord | undefined> {
  const { rows } = await sql.query<RunRow>(`SELECT ${runColumns} FROM activity.runs WHERE id = $1`, [runId]);
  return rows[0] && toRun(rows[0]);
}

export async function readValues(sql: SqlExecutor, runId: string) {
  const { rows } = await sql.query<{ input: string | null; output: string | null }>(
    "SELECT input::text AS input, output::text AS output FROM activity.runs WHERE id = $1",
    [runId],
  );
  return { input: rows[0]?.input ?? undefined, output: rows[0]?.output ?? undefined };
}

/** Lists runs. Ids sort by time. */
export async function listRuns(sql: SqlExecutor, query: RunQuery): Promise<Page<RunRecord>> {
  const { text, values } = conditions(query);
  const { rows } = await sql.query<RunRow>(
    `SELECT ${runColumns} FROM activity.runs WHERE ${text} AND ($3::uuid IS NULL OR id < $3) ORDER BY id DESC LIMIT $4`,
    [...values, query.after ?? null, query.limit + 1],
  );
  return pageOf(rows.map(toRun), query.limit);
}

export async function countRuns(sql: SqlExecutor, query: Pick<RunQuery, "appName" | "status">): Promise<number> {
  const { text, values } = conditions(query);
  const { rows } = await sql.query<{ count: number }>(`SELECT count(*) AS count FROM activity.runs WHERE ${text}`, values);
  return rows[0]?.count ?? 0;
}

/** Every worker counts at every scrape, so the count must stay cheap even with a very large backlog. */
const mostCounted = 10_000;

/** Counts unfinished runs, each status in the order of its index. */
export async function countUnfinished(sql: SqlExecutor): Promise<ReadonlyMap<UnfinishedStatus, number>> {
  const { rows } = await sql.query<{ status: UnfinishedStatus; count: number }>(
    `SELECT 'delayed' AS status, count(*)::int AS count FROM (SELECT 1 FROM activity.runs
       WHERE status = 'QUEUED' AND scheduled_for > clock_timestamp() ORDER BY scheduled_for LIMIT ${mostCounted}) AS delayed
     UNION ALL SELECT 'queued', count(*)::int FROM (SELECT 1 FROM activity.runs
       WHERE status = 'QUEUED' AND scheduled_for <= clock_timestamp() ORDER BY scheduled_for LIMIT ${mostCounted}) AS queued
     UNION ALL SELECT 'running', count(*)::int FROM (SELECT 1 FROM activity.runs
       WHERE status = 'RUNNING' ORDER BY app_name, activity LIMIT ${mostCounted}) AS running`,
  );
  return new Map(rows.map(({ status, count }) => [status, count]));
}

function conditions({ appName, status }: Pick<RunQuery, "appName" | "status">) {
  const stored = status === "DELAYED" ? "QUEUED" : status;
  const waiting = status === "DELAYED" ? "scheduled_for > clock_timestamp()" : "scheduled_for <= clock_timestamp()";
  const time = stored === "QUEUED" ? waiting : "true";
  const text = `($1::text IS NULL OR app_name = $1) AND ($2::text IS NULL OR status = $2) AND ${time}`;
  return { text, values: [appName ?? null, stored ?? null] as const };
}
