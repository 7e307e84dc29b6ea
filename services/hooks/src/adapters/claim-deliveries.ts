import type { Database } from "@appserver/kernel/ports";
import type { ClaimedDelivery } from "../domain/delivery.ts";
import type { DeliveryWant } from "../ports.ts";
import { attemptsWith, claimedDeliveries, hookEvents } from "./delivery-rows.ts";

const lostAttempt = `jsonb_build_object('number', attempt, 'at', updated_at,
  'durationMs', 1000 * extract(epoch from now() - updated_at)::int, 'outcome', 'LOST')`;

/**
 * Claims due deliveries of each app for this replica, the longest due first. Skips rows that another process is claiming. A
 * delivery that is due while still SENDING was lost with the process that claimed it; its attempt is recorded as LOST.
 */
export async function claimDeliveries(
  database: Database,
  wants: readonly DeliveryWant[],
  replica: string,
  claimMs: number,
): Promise<readonly ClaimedDelivery[]> {
  const { rows } = await database.query(
    `with wanted as (
       select * from jsonb_to_recordset($1::jsonb) as want (app text, room int, hooks text[], pushes boolean)
     ), due as (
       select found.id from wanted cross join lateral (
         select id from hooks.deliveries as delivery
         where delivery.app_name = wanted.app and delivery.due_at <= now()
           and (wanted.hooks is null or delivery.hook_name = any (wanted.hooks))
           and not (wanted.pushes and exists (
             select 1 from hooks.streams as stream where stream.app_name = wanted.app
               and (stream.hook_names is null or delivery.hook_name = any (stream.hook_names))))
         order by delivery.due_at, delivery.id limit wanted.room for update of delivery skip locked
       ) as found
     ), claimed as (
       update hooks.deliveries set
         attempts = case when status = 'SENDING' then ${attemptsWith(lostAttempt)} else attempts end,
         status = 'SENDING', attempt = attempt + 1, due_at = now() + $2 * interval '1 millisecond', claimed_by = $3,
         updated_at = now()
       where id = any (array(select id from due))
       returning ${claimedDeliveries.selected}, event_id
     )
     select * from claimed join (select ${hookEvents.selected} from hooks.events) as event using (event_id)
     where event_id = any (array(select event_id from claimed)) order by claimed.id`,
    [
      JSON.stringify(
        wants.map(({ appName, room, hookNames, pushes }) => ({ app: appName, room, hooks: hookNames ?? null, pushes })),
      ),
      claimMs,
      replica,
    ],
  );
  return rows.map((row) => ({ ...claimedDeliveries.record(row), event: hookEvents.record(row) }));
}
