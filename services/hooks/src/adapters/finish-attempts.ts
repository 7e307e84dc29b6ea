import type { Database, SqlExecutor } from "@appserver/kernel/ports";
import { isWaitWanted } from "../domain/retry-policy.ts";
import { targetOf } from "../domain/targets/target.ts";
import type { FinishedAttempt } from "../ports.ts";
import { announceDead, type DeadLetter, type DeadLetterWriter } from "./dead-letters.ts";
import { type AttemptRecord, attemptsWith } from "./delivery-rows.ts";
import { lockGroups, moveOn, type SubscriberGroup } from "./ordering-groups.ts";

export interface FinishOptions extends DeadLetterWriter {
  readonly database: Database;
}

/**
 * Stores how attempts ended, with an event for each delivery that is DEAD now, and starts the next delivery of their ordering groups.
 * Returns for each the app that now has a due delivery, if any.
 */
export async function finishAttempts(
  options: FinishOptions,
  attempts: readonly FinishedAttempt[],
): Promise<readonly (string | undefined)[]> {
  const finished = attempts.flatMap(({ delivery: { appName, orderingGroup }, step }): SubscriberGroup[] =>
    orderingGroup !== undefined && step.delayMs === undefined ? [{ appName, orderingGroup }] : [],
  );
  const letters = attempts.flatMap((attempt) => deadLetterOf(attempt) ?? []);
  if (finished.length === 0 && letters.length === 0) {
    await update(options.database, attempts);
    return attempts.map(() => undefined);
  }
  const woken = await options.database.transaction(async (tx) => {
    await lockGroups(tx, finished);
    const stored = await update(tx, attempts);
    await announceDead(
      tx,
      options,
      letters.filter(({ deliveryId }) => stored.has(deliveryId)),
    );
    return moveOn(tx, finished);
  });
  return attempts.map(({ delivery: { appName } }) => (woken.has(appName) ? appName : undefined));
}

function deadLetterOf({ delivery, step, subscriber }: FinishedAttempt): DeadLetter | undefined {
  if (step.status !== "DEAD" || targetOf(delivery.appName) !== undefined) return undefined;
  if (!subscriber) throw new Error(`the result of delivery ${delivery.id} is DEAD and names no subscriber`);
  const { id: deliveryId, event, attempt: attempts } = delivery;
  return { deliveryId, subscriber, event, attempts, error: step.error };
}

/**
 * Applies each result only to its own attempt: a late result of a process that was considered dead changes nothing, unless it
 * reports that the event was DELIVERED or DROPPED. Returns the ids of the deliveries that it changed.
 */
async function update(executor: SqlExecutor, attempts: readonly FinishedAttempt[]): Promise<ReadonlySet<string>> {
  const { rows } = await executor.query<{ id: number }>(
    `update hooks.deliveries as delivery set
       status = ended.status,
       due_at = now() + ended.delay_ms * interval '1 millisecond',
       failures = ended.failures,
       disconnects = ended.disconnects,
       error = ended.error::jsonb,
       waits_fully = ended.is_wanted,
       retry_at = case when ended.failures = delivery.failures then retry_at end,
       attempt = case when ended.record is null then delivery.attempt - 1 else delivery.attempt end,
       attempts = case when ended.record is null then attempts else ${attemptsWith("ended.record::jsonb")} end,
       claimed_by = null,
       updated_at = now()
     from unnest($1::bigint[], $2::int[], $3::text[], $4::float8[], $5::int[], $6::int[], $7::text[], $8::text[], $9::boolean[])
       as ended (id, attempt, status, delay_ms, failures, disconnects, error, record, is_wanted)
     -- By number too: not knowing how few they are, the planner would read the whole table.
     where delivery.id = ended.id and delivery.id = any ($1::bigint[]) and delivery.due_at is not null
       and (delivery.status = 'SENDING' and delivery.attempt = ended.attempt or ended.status in ('DELIVERED', 'DROPPED'))
     returning delivery.id`,
    [
      attempts.map(({ delivery }) => delivery.id),
      attempts.map(({ delivery }) => delivery.attempt),
      attempts.map(({ step }) => step.status),
      attempts.map(({ step }) => step.delayMs ?? null),
      attempts.map(({ step }) => step.failures),
      attempts.map(({ step }) => step.disconnects),
      attempts.map(({ step }) => (step.error ? storable(step.error) : null)),
      attempts.map((attempt) => recordOf(attempt)),
      attempts.map(({ result }) => isWaitWanted(result)),
    ],
  );
  return new Set(rows.map(({ id }) => String(id)));
}

/** Returns null for a delivery that was never sent: that was not an attempt. */
function recordOf({ delivery, result, startedAt, durationMs }: FinishedAttempt): string | null {
  if (result.outcome === "RELEASED") return null;
  const record: AttemptRecord = {
    number: delivery.attempt,
    at: startedAt.toISOString(),
    durationMs: Math.round(durationMs),
    outcome: result.outcome,
    ...("error" in result ? { error: result.error } : {}),
  };
  return storable(record);
}

/** Returns the JSON text. Error messages may have characters that jsonb refuses: NUL, and halves of UTF-16 pairs. */
function storable(value: AttemptRecord | NonNullable<FinishedAttempt["step"]["error"]>): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "string" ? each.toWellFormed().replaceAll("\0", "\uFFFD") : each,
  );
}
