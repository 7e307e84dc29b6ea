import type { SqlExecutor } from "@appserver/kernel/ports";

/** Counts an app's runs that wait for a worker or for their time, up to `limit`. */
export async function countQueuedRuns(sql: SqlExecutor, appName: string, limit: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `select count(*)::int as count from (
       select 1 from activity.runs where app_name = $1 and status = 'QUEUED' limit $2
     ) as queued`,
    [appName, limit],
  );
  return rows[0]?.count ?? 0;
}
