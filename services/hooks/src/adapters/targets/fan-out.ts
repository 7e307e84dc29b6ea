import type { Database, Transaction } from "@appserver/kernel/ports";
import { orderingGroupOf } from "../../domain/delivery.ts";
import { storedTypeOf, subscriberOf } from "../../domain/targets/target.ts";
import { eventDataOf, type TargetEvent } from "../../domain/targets/target-message.ts";
import { lockGroups } from "../ordering-groups.ts";
import { hooksChannel } from "../store-triggers.ts";

/** Events that concern no app are one ordering group. */
const platformKey = "appserver";

/**
 * Stores a delivery of each event to the target, and moves its position to the last of them, in one transaction. Changes nothing and
 * returns false if the target's position is not `after`: another replica has stored them.
 */
export function fanOut(database: Database, targetId: string, after: string, events: readonly TargetEvent[]): Promise<boolean> {
  return database.transaction(async (tx) => {
    const last = events.at(-1);
    if (!last) return false;
    const { count } = await tx.query(
      "update hooks.targets set last_event_id = $3 where id = $1 and last_event_id = $2 and is_enabled",
      [targetId, after, last.id],
    );
    if (count === 0) return false;
    await lockGroups(
      tx,
      events.map((event) => ({ orderingGroup: groupOf(event) })),
    );
    await insertDeliveries(tx, subscriberOf(targetId), events);
    return true;
  });
}

/** A target gets the events of an app one after the other. */
function groupOf({ appName }: TargetEvent): string {
  return orderingGroupOf(undefined, appName ?? platformKey) ?? "";
}

/** An event is stored once for all targets. A delivery waits while another of its ordering group is open. */
async function insertDeliveries(tx: Transaction, subscriber: string, events: readonly TargetEvent[]): Promise<void> {
  await tx.query(
    `with given as (
       select * from unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[]) with ordinality
         as event (id, type, data, at, actor, ordering_group, position)
     ), stored as (
       insert into hooks.events (id, hook_name, data, triggered_at, triggered_by)
       select id, type, data, at, actor from given order by id on conflict (id) do nothing
     )
     insert into hooks.deliveries (event_id, hook_name, app_name, ordering_group, due_at)
     select given.id, given.type, $1, given.ordering_group,
       case when row_number() over (partition by given.ordering_group order by given.position) > 1
         or (select true from hooks.deliveries as open
             where open.app_name = $1 and open.ordering_group = given.ordering_group and open.due_at is not null limit 1) is not null
       then 'infinity' else now() end
     from given order by given.position`,
    [
      subscriber,
      events.map(({ id }) => id),
      events.map(({ type }) => storedTypeOf(type)),
      events.map(eventDataOf),
      events.map(({ at }) => at),
      events.map(({ actor }) => actor ?? "system"),
      events.map(groupOf),
    ],
  );
  await tx.query(`select pg_notify('${hooksChannel}', $1)`, [subscriber]);
}
