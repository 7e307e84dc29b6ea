import { column, columns } from "@appserver/kernel";
import type { RunRecord } from "../domain/run.ts";

const declared = {
  id: column,
  appId: column,
  appName: column,
  appVersion: column,
  activity: column,
  status: column,
  attempt: column,
  maxRetries: column,
  timeoutMs: column,
  singletonKey: column,
  idempotencyKey: column,
  triggeredBy: column,
  retryOf: column,
  traceparent: column,
  progress: column,
  stage: column,
  error: column,
  cancelRequested: column,
  isDelayed: { expression: "status = 'QUEUED' and scheduled_for > clock_timestamp()" },
  scheduledFor: column,
  queuedAt: column,
  startedAt: column,
  finishedAt: column,
};

/** All columns of `activity.runs` except the lease and the values, which may be large. */
export const runs = columns<RunRecord>(declared);

/** A run whose row this transaction has locked. */
export interface LockedRun extends RunRecord {
  /** The database's time when it was read. */
  readonly readAt: Date;
}

export const lockedRuns = columns<LockedRun>({ ...declared, readAt: { expression: "clock_timestamp()" } });
