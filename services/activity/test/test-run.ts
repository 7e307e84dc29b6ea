import type { RunRecord } from "../src/domain/run.ts";

/** Returns a running run in its first attempt, overridden by `fields`. */
export function testRun(fields: Partial<RunRecord>): RunRecord {
  const at = new Date(Date.UTC(2026, 0, 1));
  return {
    id: "01980000-0000-7000-8000-000000000001",
    appId: "01980000-0000-7000-8000-00000000000a",
    appName: "com.example.notes",
    appVersion: "1.0.0",
    activity: "count",
    status: "RUNNING",
    attempt: 1,
    maxRetries: 3,
    timeoutMs: 900_000,
    singletonKey: undefined,
    idempotencyKey: undefined,
    triggeredBy: "user:alice",
    retryOf: undefined,
    traceparent: undefined,
    progress: undefined,
    stage: undefined,
    error: undefined,
    cancelRequested: false,
    isDelayed: false,
    scheduledFor: at,
    queuedAt: at,
    startedAt: at,
    finishedAt: undefined,
    ...fields,
  };
}
