import { metricCatalogue } from "@appserver/contracts/metrics";
import { uuidv7 } from "@appserver/kernel";
import type { Database, EventEnvelope, Metrics, Outbox, Transaction } from "@appserver/kernel/ports";
import type { RunAttempt, RunRecord } from "../domain/run.ts";
import { executedEvent } from "../domain/run-events.ts";
import { endedAttempt, type NextState, nextState, type Outcome } from "../domain/run-outcome.ts";
import { channels, runPayloads } from "./channels.ts";
import type { LockedRun } from "./run-rows.ts";

export interface RunChange {
  readonly run: RunRecord;
  readonly next: NextState;
  /** The attempt that has ended. Undefined if no worker had the run. */
  readonly attempt: RunAttempt | undefined;
}

export interface ChangeParts {
  readonly database: Database;
  readonly outbox: Outbox;
  /** CloudEvents source of this process. */
  readonly source: string;
  readonly metrics: Metrics;
}

/** Returns the change that the outcome makes to the run now, by the clock of the database. */
export function changeBy(outcome: Outcome, run: LockedRun): RunChange {
  const next = nextState(run, outcome, run.readAt, Math.random());
  return { run, next, attempt: endedAttempt(run, outcome, next, run.readAt) };
}

/** Moves runs to their next states: records, events and notifications. The caller has locked their rows. */
export type ChangeRuns = (changes: readonly RunChange[]) => Promise<void>;

/** Runs `work` in one transaction. The runs that it changes are counted after the commit. */
export async function changingRuns<T>(
  parts: ChangeParts,
  work: (tx: Transaction, change: ChangeRuns) => Promise<T>,
): Promise<T> {
  let made: readonly RunChange[] = [];
  const result = await parts.database.transaction((tx) => {
    made = [];
    return work(tx, async (changes) => {
      await changeRuns(tx, parts, changes);
      made = [...made, ...changes];
    });
  });
  for (const change of made) count(parts.metrics, change);
  return result;
}

/** Counts a retry or the end of a run, with the duration of its last attempt (docs/reference/metrics.md). */
function count(metrics: Metrics, { run, next }: RunChange): void {
  const app = run.appName;
  if (next.status === "QUEUED") {
    metrics.counter(metricCatalogue.activityRetries).bind({ app }).add();
    return;
  }
  const outcome = next.status.toLowerCase();
  metrics.counter(metricCatalogue.activityRuns).bind({ app, outcome }).add();
  if (run.status !== "RUNNING" || !run.startedAt) return;
  const durationMs = Math.max(0, next.finishedAt.getTime() - run.startedAt.getTime());
  metrics
    .histogram(metricCatalogue.activityRunDuration)
    .bind({ outcome })
    .observe(durationMs / 1000);
}

async function changeRuns(tx: Transaction, parts: ChangeParts, changes: readonly RunChange[]): Promise<void> {
  if (changes.length === 0) return;
  await updateRecords(tx, changes);
  await parts.outbox.append(tx, executedEvents(changes, parts.source));
}

/** Notifies watchers in the same statement. */
async function updateRecords(tx: Transaction, changes: readonly RunChange[]): Promise<void> {
  const next = changes.map((change) => change.next);
  const ids = changes.map(({ run }) => run.id);
  await tx.query(
    `with changed as (
       update activity.runs r set status = n.status, error = n.error::json, output = n.output::json,
         scheduled_for = coalesce(n.scheduled_for, r.scheduled_for), finished_at = n.finished_at,
         progress = case when n.status = 'COMPLETED' then 1 else r.progress end,
         attempts = case when n.attempt is null then r.attempts else array_append(r.attempts, n.attempt::json) end,
         lease_until = null, deadline_at = null, cancel_until = null
       from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $9::text[])
         as n (id, status, error, output, scheduled_for, finished_at, attempt)
       where r.id = n.id
     )
     select pg_notify($7, payload) from unnest($8::text[]) as payload`,
    [
      ids,
      next.map(({ status }) => status),
      next.map(({ error }) => (error === undefined ? null : JSON.stringify(error))),
      next.map((state) => (state.status === "QUEUED" ? null : (state.output ?? null))),
      next.map((state) => (state.status === "QUEUED" ? state.scheduledFor : null)),
      next.map((state) => (state.status === "QUEUED" ? null : state.finishedAt)),
      channels.runs,
      runPayloads(ids),
      changes.map(({ attempt }) => (attempt ? JSON.stringify(attempt) : null)),
    ],
  );
}

function executedEvents(changes: readonly RunChange[], source: string): readonly EventEnvelope[] {
  return changes.flatMap(({ run, next }) => {
    if (next.status === "QUEUED") return [];
    const body = executedEvent(run, next);
    const envelope: EventEnvelope = {
      id: uuidv7(),
      type: "activity.executed",
      source,
      subject: run.appName,
      time: body.timestamp,
      actor: run.triggeredBy,
      // The transaction may belong to runs of several traces.
      ...(run.traceparent === undefined ? {} : { traceparent: run.traceparent }),
      body: { ...body },
    };
    return [envelope];
  });
}
