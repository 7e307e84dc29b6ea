import type { ClaimedDelivery, Delivery, DeliveryStatus, Problem } from "../domain/delivery.ts";

/** Rows as the driver returns them: snake_case, null for absent values. */
export interface DeliveryRow {
  id: number;
  event_id: string;
  hook_name: string;
  app_name: string;
  status: DeliveryStatus;
  due_at: Date | null;
  attempt: number;
  error: Problem | null;
  attempts: AttemptRecord[];
  updated_at: Date;
}

/** One attempt in the column `attempts`. */
export interface AttemptRecord {
  number: number;
  at: string;
  durationMs: number;
  outcome: string;
  error?: string;
}

/** The due time is null while the delivery waits behind another of its lane. */
export const deliveryColumns =
  "id, event_id, hook_name, app_name, status, nullif(due_at, 'infinity') as due_at, attempt, error, attempts, updated_at";

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: String(row.id),
    eventId: row.event_id,
    hookName: row.hook_name,
    appName: row.app_name,
    status: row.status,
    attempt: row.attempt,
    nextAttemptAt: row.status === "SENDING" ? undefined : (row.due_at ?? undefined),
    error: row.error ?? undefined,
    updatedAt: row.updated_at,
    attempts: row.attempts.map(({ at, error, ...attempt }) => ({ ...attempt, at: new Date(at), error })),
  };
}

export interface ClaimedRow {
  id: number;
  app_name: string;
  lane: string | null;
  attempt: number;
  failures: number;
  disconnects: number;
  event_id: string;
  hook_name: string;
  source_app: string | null;
  data: string;
  ordering_key: string | null;
  triggered_at: Date;
  triggered_by: string;
  traceparent: string | null;
}

export function toClaimed(row: ClaimedRow): ClaimedDelivery {
  return {
    id: String(row.id),
    appName: row.app_name,
    lane: row.lane ?? undefined,
    attempt: row.attempt,
    failures: row.failures,
    disconnects: row.disconnects,
    event: {
      id: row.event_id,
      hookName: row.hook_name,
      sourceApp: row.source_app ?? undefined,
      data: row.data,
      orderingKey: row.ordering_key ?? undefined,
      triggeredAt: row.triggered_at,
      triggeredBy: row.triggered_by,
      traceparent: row.traceparent ?? undefined,
    },
  };
}
