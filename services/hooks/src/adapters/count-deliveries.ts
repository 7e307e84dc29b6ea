import type { SqlExecutor } from "@appserver/kernel/ports";
import type { DeliveryStatus } from "../domain/delivery.ts";
import type { UnfinishedStatus } from "../ports.ts";

/** Every worker counts at every scrape, so the count must stay cheap even with a very large backlog. */
const mostCounted = 10_000;

const shown: Readonly<Partial<Record<DeliveryStatus, UnfinishedStatus>>> = {
  PENDING: "waiting",
  SENDING: "sending",
  RETRYING: "retrying",
};

/** Counts unfinished deliveries, by status. */
export async function countUnfinished(sql: SqlExecutor): Promise<ReadonlyMap<UnfinishedStatus, number>> {
  const { rows } = await sql.query<{ status: DeliveryStatus; count: number }>(
    // Ordered by an index: otherwise the planner might expect many rows and read the whole table.
    `SELECT status, count(*)::int AS count FROM (
       SELECT status FROM hooks.deliveries WHERE due_at IS NOT NULL ORDER BY app_name, due_at, id LIMIT ${mostCounted}
     ) AS unfinished GROUP BY status`,
  );
  const counts = new Map<UnfinishedStatus, number>([
    ["waiting", 0],
    ["sending", 0],
    ["retrying", 0],
  ]);
  for (const { status, count } of rows) {
    const name = shown[status];
    if (name) counts.set(name, count);
  }
  return counts;
}

/** Counts deliveries that were given up and can be sent again. */
export async function countDead(sql: SqlExecutor): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (
       SELECT 1 FROM hooks.deliveries WHERE status = 'DEAD' ORDER BY hook_name, id LIMIT ${mostCounted}
     ) AS dead`,
  );
  return rows[0]?.count ?? 0;
}

/** Counts unfinished deliveries of an app's hooks, up to `limit`. */
export async function countWaitingOf(sql: SqlExecutor, sourceApp: string, limit: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (
       SELECT 1 FROM hooks.deliveries d JOIN hooks.events e ON e.id = d.event_id
       WHERE d.due_at IS NOT NULL AND e.source_app = $1 LIMIT $2
     ) AS waiting`,
    [sourceApp, limit],
  );
  return rows[0]?.count ?? 0;
}
