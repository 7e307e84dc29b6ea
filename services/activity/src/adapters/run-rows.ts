import type { Problem, RunRecord, RunStatus } from "../domain/run.ts";

export interface RunRow {
  id: string;
  app_id: string;
  app_name: string;
  app_version: string;
  activity: string;
  status: RunStatus;
  attempt: number;
  max_retries: number;
  timeout_ms: number;
  singleton_key: string | null;
  idempotency_key: string | null;
  triggered_by: string;
  retry_of: string | null;
  progress: number | null;
  stage: string | null;
  error: Problem | null;
  cancel_requested: boolean;
  is_delayed: boolean;
  scheduled_for: Date;
  queued_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

/** All columns except the lease and the values, which may be large. */
export const runColumns =
  "id, app_id, app_name, app_version, activity, status, attempt, max_retries, timeout_ms, singleton_key, " +
  "idempotency_key, triggered_by, retry_of, progress, stage, error, cancel_requested, scheduled_for, queued_at, started_at, finished_at, " +
  "status = 'QUEUED' and scheduled_for > clock_timestamp() as is_delayed";

export function toRun(row: RunRow): RunRecord {
  return {
    id: row.id,
    appId: row.app_id,
    appName: row.app_name,
    appVersion: row.app_version,
    activity: row.activity,
    status: row.status,
    attempt: row.attempt,
    maxRetries: row.max_retries,
    timeoutMs: row.timeout_ms,
    singletonKey: row.singleton_key ?? undefined,
    idempotencyKey: row.idempotency_key ?? undefined,
    triggeredBy: row.triggered_by,
    retryOf: row.retry_of ?? undefined,
    progress: row.progress ?? undefined,
    stage: row.stage ?? undefined,
    error: row.error ?? undefined,
    cancelRequested: row.cancel_requested,
    isDelayed: row.is_delayed,
    scheduledFor: row.scheduled_for,
    queuedAt: row.queued_at,
    startedAt: row.started_at ?? undefined,
    finishedAt: row.finished_at ?? undefined,
  };
}
