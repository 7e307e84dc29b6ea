import { recordKeyedWork, recordKeyedWorks } from "@appserver/kernel";
import { type AuditLog, type AuditRecord, type Database, DatabaseError, type Transaction } from "@appserver/kernel/ports";
import { type ActivityTimes, leaseMs } from "../domain/limits.ts";
import { isTerminal, queueOf, type RunRecord } from "../domain/run.ts";
import type { Outcome } from "../domain/run-outcome.ts";
import type {
  AssignedRun,
  Assignment,
  AssignmentState,
  ClaimRequest,
  DueWork,
  NewRun,
  ProgressReport,
  ResultReport,
  RunReads,
  RunStore,
  ScheduleMoment,
} from "../ports.ts";
import { advanceSchedule } from "./advance-schedule.ts";
import { lockAssigned, lockRuns, touch } from "./assigned-runs.ts";
import { type ChangeParts, changeBy, changingRuns, groupBy, type RunChange } from "./change-runs.ts";
import { channels, notify, notifyRuns } from "./channels.ts";
import { endOverdueRuns, overdueRuns } from "./end-overdue-runs.ts";
import { expiredRuns, expireRuns } from "./expire-runs.ts";
import { insertRuns, withEarlier } from "./insert-runs.ts";
import { roomFor } from "./room-for-runs.ts";
import { runs } from "./run-rows.ts";

/**
 * Returns the SQL for the time when a worker that reports now is considered lost unless it reports again. A short timeout ends
 * the wait earlier: a later report, after the time that a broken stream may take to reconnect, would be too late anyway.
 */
function leaseEnd(leaseMs: string, reconnectMs: string): string {
  return `clock_timestamp() + least(${leaseMs}::float8, timeout_ms + ${reconnectMs}::float8) * interval '1 ms'`;
}

/** Claimed runs wait in memory for their workers, without the inputs that are larger. */
const largeInputBytes = 16_384;

/** Extends the lease. The first report of an attempt also starts its timeout. */
const extendLease = `lease_until = ${leaseEnd("$4", "$5")},
  deadline_at = coalesce(r.deadline_at, clock_timestamp() + r.timeout_ms * interval '1 ms')`;

export interface SqlRunStoreOptions extends ChangeParts {
  readonly audit: AuditLog;
  readonly times: ActivityTimes;
  readonly reads: Pick<RunReads, "find">;
}

/**
 * Stores runs in PostgreSQL. All transactions lock rows in this order: first the queue's job if the run waits, then the record.
 * No transaction locks the job of a running attempt.
 */
export class SqlRunStore implements RunStore {
  readonly #options: SqlRunStoreOptions;
  readonly #database: Database;
  /** Parameters of {@link leaseEnd}. */
  readonly #leaseTimes: readonly [leaseMs: number, reconnectMs: number];

  constructor(options: SqlRunStoreOptions) {
    this.#options = options;
    this.#database = options.database;
    this.#leaseTimes = [leaseMs(options.times), options.times.reconnectMs];
  }

  async enqueue(runs: readonly NewRun[]): Promise<readonly (RunRecord | undefined)[]> {
    for (const name of new Set(runs.map(({ run }) => queueOf(run)))) await this.#options.queue.ensure(name);
    return this.#database.transaction(async (tx) => {
      const lost = await recordKeyedWorks(tx, receiptsOf(runs));
      const kept = runs.filter(({ work }) => !work || !lost.has(work));
      const stored = kept.length > 0 ? await this.#enqueue(tx, kept) : [];
      const earlier = kept.flatMap((each, index) =>
        stored[index]?.id === each.run.id ? [] : [{ ...each, run: stored[index] ?? each.run }],
      );
      await recordKeyedWorks(tx, receiptsOf(earlier));
      const byRun = new Map(kept.map((each, index) => [each, stored[index]]));
      return runs.map((each) => byRun.get(each));
    });
  }

  async enqueueScheduled(run: NewRun, schedule: ScheduleMoment, nextRunAt: Date): Promise<boolean> {
    await this.#options.queue.ensure(queueOf(run.run));
    return this.#database.transaction(async (tx) => {
      const isFirst = await advanceSchedule(tx, schedule, nextRunAt);
      if (isFirst) await this.#enqueue(tx, [run]);
      return isFirst;
    });
  }

  async #enqueue(tx: Transaction, runs: readonly NewRun[]): Promise<readonly RunRecord[]> {
    const { queue, audit } = this.#options;
    const stored = await insertRuns(tx, runs);
    const fresh = [...stored.values()];
    for (const [name, group] of groupBy(fresh, queueOf)) {
      await queue.put(
        tx,
        name,
        group.map(({ id, scheduledFor }) => ({ id, from: scheduledFor })),
      );
    }
    for (const { run, audit: entry } of runs) if (entry && stored.has(run.id)) await audit.record(tx, entry);
    return withEarlier(tx, runs, stored);
  }

  async claim(request: ClaimRequest): Promise<readonly AssignedRun[]> {
    const { queue } = this.#options;
    const name = queueOf({ appName: request.appName, activity: request.definition.name });
    await queue.ensure(name);
    return this.#database.transaction(async (tx) => {
      const limit = await roomFor(tx, request);
      const ids = limit > 0 ? await queue.take(tx, name, limit) : [];
      if (ids.length === 0) return [];
      const { rows } = await tx.query<{ id: string; input_text: string | null; is_large: boolean }>(
        `with claimed as (
           update activity.runs set status = 'RUNNING', attempt = attempt + 1, started_at = clock_timestamp(), progress = null,
             stage = null, lease_until = ${leaseEnd("$2", "$3")}, deadline_at = null
           where id = any($1) and status = 'QUEUED' returning ${runs.selected}, input::text as input_text
         )
         select ${runs.selected}, case when octet_length(input_text) <= $5 then input_text end as input_text,
           coalesce(octet_length(input_text) > $5, false) as is_large, (select pg_notify($4, string_agg(id::text, ',')) from claimed) from claimed`,
        [ids, ...this.#leaseTimes, channels.runs, largeInputBytes],
      );
      const claimed = new Set(rows.map(({ id }) => id));
      const leftOver = ids.filter((id) => !claimed.has(id));
      if (leftOver.length > 0) await queue.remove(tx, name, leftOver);
      const assigned = rows.map((row) => ({
        run: runs.record(row),
        input: row.input_text ?? undefined,
        isInputLarge: row.is_large,
      }));
      return assigned.sort((a, b) => (a.run.id < b.run.id ? -1 : 1));
    });
  }

  async release(assignments: readonly Assignment[]): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const runs = await lockAssigned(tx, assignments);
      for (const [name, group] of groupBy(runs, queueOf)) {
        const ids = group.map(({ id }) => id);
        await tx.query(
          `update activity.runs set status = 'QUEUED', attempt = attempt - 1, started_at = null, lease_until = null,
             deadline_at = null where id = any($1)`,
          [ids],
        );
        await this.#options.queue.remove(tx, name, ids);
        await this.#options.queue.put(
          tx,
          name,
          group.map(({ id, scheduledFor }) => ({ id, from: scheduledFor })),
        );
        await notify(tx, channels.work, [name]);
      }
    });
  }

  heartbeat(assignments: readonly Assignment[]): Promise<readonly AssignmentState[]> {
    return touch(this.#database, assignments, extendLease, this.#leaseTimes);
  }

  async progress(given: readonly ProgressReport[]): Promise<readonly AssignmentState[]> {
    // If a run has several reports, the last one is stored.
    const reports = [...new Map(given.map((report) => [report.runId, report])).values()];
    const states = await this.#progress(reports);
    const stateOf = new Map(reports.map(({ runId }, index) => [runId, states[index]]));
    return given.map(({ runId }) => stateOf.get(runId) ?? "lost");
  }

  #progress(reports: readonly ProgressReport[]): Promise<readonly AssignmentState[]> {
    return this.#database.transaction(async (tx) => {
      const states = await touch(
        tx,
        reports,
        `${extendLease}, progress = ($6::float8[])[assigned.position], stage = ($7::text[])[assigned.position]`,
        [...this.#leaseTimes, reports.map(({ progress }) => progress), reports.map(({ stage }) => stage ?? null)],
      );
      await notifyRuns(
        tx,
        reports.flatMap(({ runId }, index) => (states[index] === "lost" ? [] : [runId])),
      );
      return states;
    });
  }

  finish(results: readonly ResultReport[]): Promise<readonly boolean[]> {
    return changingRuns(this.#options, async (tx, change) => {
      const current = await lockRuns(
        tx,
        results.map(({ runId }) => runId),
      );
      const changes: RunChange[] = [];
      const accepted = results.map((result) => {
        const run = current.get(result.runId);
        if (!run || run.appName !== result.appName || run.attempt !== result.attempt) return false;
        if (run.status !== "RUNNING") return isDuplicateReport(run, result.outcome);
        const ended = changeBy(result.outcome, run);
        changes.push(ended);
        // A second report of the same attempt in this batch must see the status that the first one set.
        current.set(run.id, { ...run, status: ended.next.status });
        return true;
      });
      await change(changes);
      return accepted;
    });
  }

  async disconnected(assignments: readonly Assignment[]): Promise<void> {
    const { reconnectMs } = this.#options.times;
    await touch(this.#database, assignments, "lease_until = least(r.lease_until, clock_timestamp() + $4 * interval '1 ms')", [
      reconnectMs,
    ]);
  }

  async cancel(runId: string, entry?: AuditRecord): Promise<RunRecord | undefined> {
    const { queue, audit } = this.#options;
    const seen = await this.#options.reads.find(runId);
    if (!seen || isTerminal(seen.status)) return seen;
    await retryOnce(() =>
      changingRuns(this.#options, async (tx, change) => {
        // A claim holds the job first and then locks the record. Taking them in the same order avoids a deadlock.
        if (seen.status === "QUEUED") await queue.remove(tx, queueOf(seen), [runId]);
        const run = (await lockRuns(tx, [runId])).get(runId);
        if (!run || isTerminal(run.status)) return;
        if (run.status === "QUEUED") await change([changeBy({ kind: "canceled" }, run)]);
        else await this.#askToStop(tx, run);
        await recordKeyedWork(tx, { runId });
        if (entry) await audit.record(tx, entry);
      }),
    );
    return this.#options.reads.find(runId);
  }

  async #askToStop(tx: Transaction, run: RunRecord): Promise<void> {
    await tx.query(
      `update activity.runs set cancel_requested = true,
         cancel_until = coalesce(cancel_until, clock_timestamp() + $2 * interval '1 ms') where id = $1`,
      [run.id, this.#options.times.cancelMs],
    );
    await notify(tx, channels.cancel, [run.id]);
    await notifyRuns(tx, [run.id]);
  }

  async due(now: Date): Promise<DueWork> {
    const { rows } = await this.#options.database.query<DueWork>(
      `select
         exists (select 1 from activity.runs where status = 'QUEUED'
           and scheduled_for < clock_timestamp() - $1 * interval '1 ms') as expired,
         exists (select 1 from activity.runs where status = 'RUNNING'
           and least(lease_until, cancel_until, deadline_at) < clock_timestamp()) as overdue,
         exists (select 1 from activity.schedules where enabled and not paused and next_run_at <= $2) as scheduled,
         exists (select 1 from activity.runs where status = 'QUEUED' and scheduled_for <= clock_timestamp()) as waiting`,
      [this.#options.times.waitMs, now],
    );
    return rows[0] ?? { expired: false, overdue: false, scheduled: false, waiting: false };
  }

  overdue(connected: readonly Assignment[], except: readonly string[]): Promise<readonly string[]> {
    return overdueRuns(this.#database, connected, except);
  }

  endOverdue(connected: readonly Assignment[], runIds: readonly string[]): Promise<number> {
    return endOverdueRuns(this.#options, connected, runIds);
  }

  expired(except: readonly string[]): Promise<readonly string[]> {
    return expiredRuns(this.#options, except);
  }

  expire(runIds: readonly string[]): Promise<number> {
    return expireRuns(this.#options, runIds);
  }

  async purge(): Promise<number> {
    const { count } = await this.#database.query(
      `delete from activity.runs where id in (select id from activity.runs
         where finished_at < clock_timestamp() - $1 * interval '1 ms' order by finished_at limit 1000)`,
      [this.#options.times.keepMs],
    );
    return count;
  }

  async deleteFinished(appName: string): Promise<void> {
    await this.#database.query("delete from activity.runs where app_name = $1 and finished_at is not null", [appName]);
  }

  async deleteAll(appName: string): Promise<void> {
    await this.#database.query("delete from activity.runs where app_name = $1", [appName]);
  }
}

function receiptsOf(runs: readonly { readonly run: Pick<RunRecord, "id">; readonly work?: NewRun["work"] }[]) {
  return runs.flatMap(({ run, work }) => (work ? [{ work, receipt: { runId: run.id } }] : []));
}

/** Whether the report repeats an earlier one of this attempt, whose response was lost. */
function isDuplicateReport(run: RunRecord, outcome: Outcome): boolean {
  if (outcome.kind === "completed") return run.status === "COMPLETED";
  if (outcome.kind === "canceled") return run.status === "CANCELED";
  return run.status === "FAILED" || (run.status === "QUEUED" && run.error?.code !== "CRASHED");
}

async function retryOnce(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.reason !== "serialization_failure") throw error;
    await work();
  }
}
