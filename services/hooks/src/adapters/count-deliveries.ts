import type { SqlExecutor } from "@appserver/kernel/ports";
import type { DeliveryStatus } from "../domain/delivery.ts";
import type { UnfinishedStatus } from "../ports.ts";

/** Every worker counts at every scrape, so the count must stay cheap even with a very large backlog. */
const maxCounted = 10_000;

const shown: Readonly<Partial<Record<DeliveryStatus, UnfinishedStatus>>> = {
  PENDING: "waiting",
  SENDING: "sending",
  RETRYING: "retrying",
};

/** Counts unfinished deliveries, by status. */
export async function countUnfinished(sql: SqlExecutor): Promise<ReadonlyMap<UnfinishedStatus, number>> {
  const { rows } = await sql.query<{ status: DeliveryStatus; count: number }>(
    // Ordered by an index: otherwise the planner might expect many rows and read the whole table.
    `select status, count(*)::int as count from (
       select status from hooks.deliveries where due_at is not null order by app_name, due_at, id limit ${maxCounted}
     ) as unfinished group by status`,
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

/** Counts deliveries that failed permanently and can be sent again. */
export async function countDead(sql: SqlExecutor): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `select count(*)::int as count from (
       select 1 from hooks.deliveries where status = 'DEAD' order by hook_name, id limit ${maxCounted}
     ) as dead`,
  );
  return rows[0]?.count ?? 0;
}

/** Counts unfinished deliveries of an app's hooks, up to `limit`. */
export async function countWaitingOf(sql: SqlExecutor, sourceApp: string, limit: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `select count(*)::int as count from (
       select 1 from hooks.deliveries d join hooks.events e on e.id = d.event_id
       where d.due_at is not null and e.source_app = $1 limit $2
     ) as waiting`,
    [sourceApp, limit],
  );
  return rows[0]?.count ?? 0;
}
