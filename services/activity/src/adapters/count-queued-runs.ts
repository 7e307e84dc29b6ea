import type { SqlExecutor } from "@appserver/kernel/ports";

/** Counts an app's runs that wait for a worker or for their time, up to `limit`. */
export async function countQueuedRuns(sql: SqlExecutor, appName: string, limit: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (
       SELECT 1 FROM activity.runs WHERE app_name = $1 AND status = 'QUEUED' LIMIT $2
     ) AS queued`,
    [appName, limit],
  );
  return rows[0]?.count ?? 0;
}
