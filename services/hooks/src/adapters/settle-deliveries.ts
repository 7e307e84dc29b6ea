import type { Database, SqlExecutor } from "@appserver/kernel/ports";
import type { Settlement } from "../ports.ts";
import { announceDead, type DeadLetter, type DeadLetterWriter } from "./dead-letters.ts";
import type { AttemptRecord } from "./delivery-rows.ts";
import { lockLanes, moveOn, type SubscriberLane } from "./lanes.ts";

export interface SettleOptions extends DeadLetterWriter {
  readonly database: Database;
}

/**
 * Stores how attempts ended, with an event for each delivery that is DEAD now, and starts the next delivery of their lanes.
 * Returns for each the app that now has a due delivery, if any.
 */
export async function settleDeliveries(
  options: SettleOptions,
  settlements: readonly Settlement[],
): Promise<readonly (string | undefined)[]> {
  const finished = settlements.flatMap(({ delivery: { appName, lane }, step }): SubscriberLane[] =>
    lane !== undefined && step.delayMs === undefined ? [{ appName, lane }] : [],
  );
  const letters = settlements.flatMap((settlement) => deadLetterOf(settlement) ?? []);
  if (finished.length === 0 && letters.length === 0) {
    await update(options.database, settlements);
    return settlements.map(() => undefined);
  }
  const woken = await options.database.transaction(async (tx) => {
    if (finished.length > 0)
      await lockLanes(
        tx,
        finished.map(({ lane }) => lane),
      );
    const stored = await update(tx, settlements);
    await announceDead(
      tx,
      options,
      letters.filter(({ deliveryId }) => stored.has(deliveryId)),
    );
    return finished.length > 0 ? moveOn(tx, finished) : new Set<string>();
  });
  return settlements.map(({ delivery: { appName } }) => (woken.has(appName) ? appName : undefined));
}

function deadLetterOf({ delivery, step, subscriber }: Settlement): DeadLetter | undefined {
  if (step.status !== "DEAD") return undefined;
  if (!subscriber) throw new Error(`the result of delivery ${delivery.id} is DEAD and names no subscriber`);
  const { id: deliveryId, event, attempt: attempts } = delivery;
  return { deliveryId, subscriber, event, attempts, error: step.error };
}

/**
 * Applies each result only to its own attempt: a late result of a process that was considered dead changes nothing, unless it
 * reports that the event was DELIVERED or DROPPED. Returns the ids of the deliveries that it changed.
 */
async function update(executor: SqlExecutor, settlements: readonly Settlement[]): Promise<ReadonlySet<string>> {
  const { rows } = await executor.query<{ id: number }>(
    `update hooks.deliveries as delivery set
       status = settled.status,
       due_at = now() + settled.delay_ms * interval '1 millisecond',
       failures = settled.failures,
       disconnects = settled.disconnects,
       error = settled.error::jsonb,
       attempt = case when settled.record is null then delivery.attempt - 1 else delivery.attempt end,
       attempts = case when settled.record is null then attempts else attempts || settled.record::jsonb end,
       claimed_by = null,
       updated_at = now()
     from unnest($1::bigint[], $2::int[], $3::text[], $4::float8[], $5::int[], $6::int[], $7::text[], $8::text[])
       as settled (id, attempt, status, delay_ms, failures, disconnects, error, record)
     -- By number too: not knowing how few are settled, the planner would read the whole table.
     where delivery.id = settled.id and delivery.id = any ($1::bigint[]) and delivery.due_at is not null
       and (delivery.status = 'SENDING' and delivery.attempt = settled.attempt or settled.status in ('DELIVERED', 'DROPPED'))
     returning delivery.id`,
    [
      settlements.map(({ delivery }) => delivery.id),
      settlements.map(({ delivery }) => delivery.attempt),
      settlements.map(({ step }) => step.status),
      settlements.map(({ step }) => step.delayMs ?? null),
      settlements.map(({ step }) => step.failures),
      settlements.map(({ step }) => step.disconnects),
      settlements.map(({ step }) => (step.error ? JSON.stringify(step.error) : null)),
      settlements.map((settlement) => recordOf(settlement)),
    ],
  );
  return new Set(rows.map(({ id }) => String(id)));
}

/** Returns null for a delivery that was never sent: that was not an attempt. */
function recordOf({ delivery, result, startedAt, durationMs }: Settlement): string | null {
  if (result.outcome === "RELEASED") return null;
  const record: AttemptRecord = {
    number: delivery.attempt,
    at: startedAt.toISOString(),
    durationMs: Math.round(durationMs),
    outcome: result.outcome,
    ...("error" in result ? { error: result.error } : {}),
  };
  return JSON.stringify(record);
}
