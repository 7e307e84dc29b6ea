import type { SqlExecutor, Transaction } from "@appserver/kernel/ports";

/** A lane of one subscriber. */
export interface SubscriberLane {
  readonly appName: string;
  readonly lane: string;
}

/**
 * Locks the lanes until the transaction ends, so that no other transaction adds deliveries to them or finishes any. A
 * transaction that adds must see the deliveries before its own; one that finishes must see those behind. Locks are taken in a
 * fixed order, so that two transactions never deadlock.
 */
export async function lockLanes(tx: Transaction, lanes: Iterable<string>): Promise<void> {
  await tx.query(
    `SELECT pg_advisory_xact_lock(key) FROM (
       SELECT DISTINCT hashtextextended(lane, 5402) AS key FROM unnest($1::text[]) AS lane ORDER BY key
     ) AS keys`,
    [[...new Set(lanes)]],
  );
}

/** Makes the first waiting delivery of each lane due if none is before it. Returns the apps that now have a due delivery. */
export async function moveOn(executor: SqlExecutor, lanes: readonly SubscriberLane[]): Promise<ReadonlySet<string>> {
  const { rows } = await executor.query<{ app_name: string }>(
    `WITH wanted AS (
       SELECT DISTINCT app_name, lane FROM unnest($1::text[], $2::text[]) AS given (app_name, lane)
     ), heads AS (
       SELECT head.id FROM wanted CROSS JOIN LATERAL (
         SELECT id, due_at FROM hooks.deliveries AS open
         WHERE open.app_name = wanted.app_name AND open.lane = wanted.lane AND open.due_at IS NOT NULL
         ORDER BY due_at, id LIMIT 1
       ) AS head
       WHERE head.due_at = 'infinity'
     )
     UPDATE hooks.deliveries SET due_at = now() WHERE id = ANY (ARRAY(SELECT id FROM heads)) RETURNING app_name`,
    [lanes.map(({ appName }) => appName), lanes.map(({ lane }) => lane)],
  );
  return new Set(rows.map(({ app_name }) => app_name));
}
