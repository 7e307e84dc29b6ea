import type { SqlExecutor, Transaction } from "@appserver/kernel/ports";

/** An ordering group of one subscriber. */
export interface SubscriberGroup {
  readonly appName: string;
  readonly orderingGroup: string;
}

/** A row of `hooks.deliveries` with its group. */
export interface GroupedRow {
  readonly app_name: string;
  readonly ordering_group: string | null;
}

/** Returns the groups of those deliveries that have one. */
export function groupsOf(rows: readonly GroupedRow[]): readonly SubscriberGroup[] {
  return rows.flatMap(({ app_name: appName, ordering_group: orderingGroup }) =>
    orderingGroup === null ? [] : [{ appName, orderingGroup }],
  );
}

/**
 * Locks the groups until the transaction ends, so that no other transaction adds deliveries to them or finishes any. A
 * transaction that adds must see the deliveries before its own; one that finishes must see those behind. Locks are taken in a
 * fixed order, so that two transactions never deadlock.
 */
export async function lockGroups(tx: Transaction, groups: readonly Pick<SubscriberGroup, "orderingGroup">[]): Promise<void> {
  if (groups.length === 0) return;
  await tx.query(
    `select pg_advisory_xact_lock(key) from (
       select distinct hashtextextended(name, 5402) as key from unnest($1::text[]) as name order by key
     ) as keys`,
    [[...new Set(groups.map(({ orderingGroup }) => orderingGroup))]],
  );
}

/** Makes the first waiting delivery of each group due if none is before it. Returns the apps that now have a due delivery. */
export async function moveOn(executor: SqlExecutor, groups: readonly SubscriberGroup[]): Promise<ReadonlySet<string>> {
  if (groups.length === 0) return new Set();
  const { rows } = await executor.query<{ app_name: string }>(
    `with wanted as (
       select distinct app_name, ordering_group from unnest($1::text[], $2::text[]) as given (app_name, ordering_group)
     ), heads as (
       select head.id from wanted cross join lateral (
         select id, due_at from hooks.deliveries as open
         where open.app_name = wanted.app_name and open.ordering_group = wanted.ordering_group and open.due_at is not null
         order by due_at, id limit 1
       ) as head
       where head.due_at = 'infinity'
     )
     update hooks.deliveries set due_at = now() where id = any (array(select id from heads)) returning app_name`,
    [groups.map(({ appName }) => appName), groups.map(({ orderingGroup }) => orderingGroup)],
  );
  return new Set(rows.map(({ app_name }) => app_name));
}
