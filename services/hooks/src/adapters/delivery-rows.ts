import { column, columns } from "@appserver/kernel";
import type { ClaimedDelivery, Delivery, EventSummary, HookEvent } from "../domain/delivery.ts";

/** One attempt in the column `attempts`. */
export interface AttemptRecord {
  readonly number: number;
  readonly at: string;
  readonly durationMs: number;
  readonly outcome: string;
  readonly error?: string;
}

/** Attempts of a delivery that are kept: early ones, and those that were lost with their process, have no other limit. */
const keptAttempts = 50;

/** Returns the value of the column `attempts` with one more record, the SQL expression of a JSON object, and without the oldest beyond the limit. */
export function attemptsWith(record: string): string {
  return `case when jsonb_array_length(attempts) >= ${keptAttempts} then attempts - 0 else attempts end || ${record}`;
}

/** Whether a delivery goes to an app. Those to notification targets have lists of their own. */
export const isToApp = "app_name not like 'target:%'";

/** Whether an event is one of a hook, and not one that notification targets get. */
export const isOfHook = "hook_name not like 'event:%'";

/** As in the index `events_trace`. */
const traceIdOfEvent = "split_part(traceparent, '-', 2)";

/** Whether an event belongs to one of the traces in `$1`, as the condition of the index `events_trace`. */
export const isOfTraces = `traceparent is not null and ${traceIdOfEvent} = any ($1)`;

/** The columns of `hooks.deliveries` that callers see. */
export const deliveries = columns<Delivery>({
  id: { read: String },
  eventId: column,
  hookName: column,
  appName: column,
  status: column,
  attempt: column,
  // While the delivery waits behind another of its ordering group, the time is infinity.
  nextAttemptAt: { expression: "case when status <> 'SENDING' then nullif(due_at, 'infinity') end" },
  error: column,
  updatedAt: column,
  attempts: {
    read: (stored) =>
      (stored as readonly AttemptRecord[]).map(({ at, error, ...attempt }) => ({ ...attempt, at: new Date(at), error })),
  },
  traceId: { expression: `(select ${traceIdOfEvent} from hooks.events where events.id = event_id)` },
});

/** The columns of `hooks.deliveries` that a claim reads. */
export const claimedDeliveries = columns<Omit<ClaimedDelivery, "event">>({
  id: { read: String },
  appName: column,
  orderingGroup: column,
  attempt: column,
  failures: column,
  disconnects: column,
  waitLeftMs: { expression: "greatest(0, coalesce(1000 * extract(epoch from retry_at - now()), 0))::float8" },
});

/** The columns of `hooks.events` without the data. */
export const eventSummaries = columns<EventSummary>({
  id: column,
  hookName: column,
  sourceApp: column,
  orderingKey: column,
  triggeredAt: column,
  triggeredBy: column,
  traceparent: column,
});

/** The columns of `hooks.events`. The id has the name that it has in `hooks.deliveries`. */
export const hookEvents = columns<HookEvent>({
  id: { name: "event_id", expression: "id" },
  hookName: column,
  sourceApp: column,
  data: column,
  orderingKey: column,
  triggeredAt: column,
  triggeredBy: column,
  traceparent: column,
});
