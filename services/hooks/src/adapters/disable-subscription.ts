import type { Problem } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import type { EventSubject } from "../ports.ts";
import { announceDead, type DeadLetterWriter } from "./dead-letters.ts";
import type { GroupedRow } from "./ordering-groups.ts";

export interface DisableOptions extends DeadLetterWriter {
  readonly database: Database;
}

interface ClosedRow extends GroupedRow {
  id: number;
  attempt: number;
  event_id: string;
  source_app: string | null;
  traceparent: string | null;
}

/** Maximum deliveries closed in one transaction: many may wait for a subscriber that was away. */
const stepRows = 1_000;

/**
 * Disables a subscription, and makes its open deliveries DEAD with their events, in steps. Deliveries that are being sent or
 * claimed end by their own results. Returns the ordering groups of the closed deliveries, which must be moved on.
 */
export async function disableSubscription(
  options: DisableOptions,
  subscriber: EventSubject,
  hookName: string,
  error: Problem,
): Promise<readonly GroupedRow[]> {
  const { database } = options;
  const { name: appName } = subscriber;
  await database.query(
    "update hooks.subscriptions set disabled_at = now() where app_name = $1 and hook_name = $2 and disabled_at is null",
    [appName, hookName],
  );
  const groups = new Map<string | null, GroupedRow>();
  for (let closed = stepRows; closed > 0; ) {
    const rows = await database.transaction(async (tx) => {
      const { rows } = await tx.query<ClosedRow>(
        `with open as (
           select id from hooks.deliveries
           where app_name = $1 and hook_name = $2 and status <> 'SENDING' and due_at is not null
           order by id limit ${stepRows} for update skip locked
         ), closed as (
           update hooks.deliveries set status = 'DEAD', error = $3, due_at = null, claimed_by = null, updated_at = now()
           where id = any (array(select id from open)) returning id, app_name, ordering_group, attempt, event_id
         )
         select closed.*, event.source_app, event.traceparent
         from closed join hooks.events as event on event.id = closed.event_id
         where event.id = any (array(select event_id from closed)) order by closed.id`,
        [appName, hookName, JSON.stringify(error)],
      );
      await announceDead(
        tx,
        options,
        rows.map(({ id, attempt, event_id, source_app, traceparent }) => ({
          deliveryId: String(id),
          subscriber,
          event: { id: event_id, hookName, sourceApp: source_app ?? undefined, traceparent: traceparent ?? undefined },
          attempts: attempt,
          error,
        })),
      );
      return rows;
    });
    for (const row of rows) groups.set(row.ordering_group, row);
    closed = rows.length;
  }
  return [...groups.values()];
}
