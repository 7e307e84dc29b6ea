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
    `select pg_advisory_xact_lock(key) from (
       select distinct hashtextextended(lane, 5402) as key from unnest($1::text[]) as lane order by key
     ) as keys`,
    [[...new Set(lanes)]],
  );
}

/** Makes the first waiting delivery of each lane due if none is before it. Returns the apps that now have a due delivery. */
export async function moveOn(executor: SqlExecutor, lanes: readonly SubscriberLane[]): Promise<ReadonlySet<string>> {
  const { rows } = await executor.query<{ app_name: string }>(
    `with wanted as (
       select distinct app_name, lane from unnest($1::text[], $2::text[]) as given (app_name, lane)
     ), heads as (
       select head.id from wanted cross join lateral (
         select id, due_at from hooks.deliveries as open
         where open.app_name = wanted.app_name and open.lane = wanted.lane and open.due_at is not null
         order by due_at, id limit 1
       ) as head
       where head.due_at = 'infinity'
     )
     update hooks.deliveries set due_at = now() where id = any (array(select id from heads)) returning app_name`,
    [lanes.map(({ appName }) => appName), lanes.map(({ lane }) => lane)],
  );
  return new Set(rows.map(({ app_name }) => app_name));
}
