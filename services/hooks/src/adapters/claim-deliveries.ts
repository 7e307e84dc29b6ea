import type { Database } from "@appserver/kernel/ports";
import type { ClaimedDelivery } from "../domain/delivery.ts";
import type { DeliveryWant } from "../ports.ts";
import { type ClaimedRow, toClaimed } from "./delivery-rows.ts";

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
  const { rows } = await database.query<ClaimedRow>(
    `WITH wanted AS (
       SELECT * FROM jsonb_to_recordset($1::jsonb) AS want (app text, room int, hooks text[], pushes boolean)
     ), due AS (
       SELECT found.id FROM wanted CROSS JOIN LATERAL (
         SELECT id FROM hooks.deliveries AS delivery
         WHERE delivery.app_name = wanted.app AND delivery.due_at <= now()
           AND (wanted.hooks IS NULL OR delivery.hook_name = ANY (wanted.hooks))
           AND NOT (wanted.pushes AND EXISTS (
             SELECT 1 FROM hooks.streams AS stream WHERE stream.app_name = wanted.app
               AND (stream.hook_names IS NULL OR delivery.hook_name = ANY (stream.hook_names))))
         ORDER BY delivery.due_at, delivery.id LIMIT wanted.room FOR UPDATE OF delivery SKIP LOCKED
       ) AS found
     ), claimed AS (
       UPDATE hooks.deliveries SET
         attempts = CASE WHEN status = 'SENDING' THEN attempts || jsonb_build_object('number', attempt, 'at', updated_at,
           'durationMs', 1000 * extract(epoch FROM now() - updated_at)::int, 'outcome', 'LOST') ELSE attempts END,
         status = 'SENDING', attempt = attempt + 1, due_at = now() + $2 * interval '1 millisecond', claimed_by = $3,
         updated_at = now()
       WHERE id = ANY (ARRAY(SELECT id FROM due))
       RETURNING id, app_name, lane, attempt, failures, disconnects, event_id
     )
     SELECT claimed.id, claimed.app_name, claimed.lane, claimed.attempt, claimed.failures, claimed.disconnects,
       claimed.event_id, event.hook_name, event.source_app, event.data, event.ordering_key, event.triggered_at,
       event.triggered_by, event.traceparent
     FROM claimed JOIN hooks.events AS event ON event.id = claimed.event_id
     WHERE event.id = ANY (ARRAY(SELECT event_id FROM claimed)) ORDER BY claimed.id`,
    [
      JSON.stringify(
        wants.map(({ appName, room, hookNames, pushes }) => ({ app: appName, room, hooks: hookNames ?? null, pushes })),
      ),
      claimMs,
      replica,
    ],
  );
  return rows.map(toClaimed);
}
