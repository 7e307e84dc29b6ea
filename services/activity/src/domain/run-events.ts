import { type EventBody, eventBody } from "@appserver/contracts/events";
import type { RunRecord } from "./run.ts";
import type { NextState } from "./run-outcome.ts";

/** Returns the `activity.executed` of a finished run, sent once per run (docs/interface/events.md#types). */
export function executedEvent(run: RunRecord, end: Exclude<NextState, { status: "QUEUED" }>): EventBody<"activity.executed"> {
  const app = { name: run.appName, id: run.appId, version: run.appVersion };
  const { error, finishedAt, status } = end;
  return eventBody<"activity.executed">(app, finishedAt.toISOString(), {
    activity: run.activity,
    runId: run.id,
    status,
    attempt: run.attempt,
    durationMs: run.startedAt ? Math.max(0, finishedAt.getTime() - run.startedAt.getTime()) : 0,
    error: error ? { code: error.code, message: error.message } : null,
  });
}
