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
import { type ChangeParts, changeBy, changingRuns, type RunChange } from "./change-runs.ts";
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
 * Stores runs in PostgreSQL. A waiting run is its own place in the queue. Transactions lock runs in the order of their ids; a claim
 * takes them in the order of the queue, and passes over those that another transaction holds.
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

  enqueue(runs: readonly NewRun[]): Promise<readonly (RunRecord | undefined)[]> {
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

  enqueueScheduled(run: NewRun, schedule: ScheduleMoment, nextRunAt: Date): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      const isFirst = await advanceSchedule(tx, schedule, nextRunAt);
      if (isFirst) await this.#enqueue(tx, [run]);
      return isFirst;
    });
  }

  async #enqueue(tx: Transaction, runs: readonly NewRun[]): Promise<readonly RunRecord[]> {
    const { audit } = this.#options;
    const stored = await insertRuns(tx, runs);
    for (const { run, audit: entry } of runs) if (entry && stored.has(run.id)) await audit.record(tx, entry);
    return withEarlier(tx, runs, stored);
  }

  claim(request: ClaimRequest): Promise<readonly AssignedRun[]> {
    return this.#database.transaction(async (tx) => {
      const limit = await roomFor(tx, request);
      if (limit <= 0) return [];
      const { rows } = await tx.query<{ id: string; input_text: string | null; is_large: boolean }>(
        `with due as (
           select id from activity.runs
           where app_name = $1 and activity = $2 and status = 'QUEUED' and scheduled_for <= clock_timestamp()
           order by scheduled_for, id limit $3 for update skip locked
         ), claimed as (
           update activity.runs set status = 'RUNNING', attempt = attempt + 1, started_at = clock_timestamp(), progress = null,
             stage = null, lease_until = ${leaseEnd("$4", "$5")}, deadline_at = null
           where id in (select id from due) returning ${runs.selected}, input::text as input_text
         )
         select ${runs.selected}, case when octet_length(input_text) <= $7 then input_text end as input_text,
           coalesce(octet_length(input_text) > $7, false) as is_large, (select pg_notify($6, string_agg(id::text, ',')) from claimed) from claimed`,
        [request.appName, request.definition.name, limit, ...this.#leaseTimes, channels.runs, largeInputBytes],
      );
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
      if (runs.length === 0) return;
      await tx.query(
        `update activity.runs set status = 'QUEUED', attempt = attempt - 1, started_at = null, lease_until = null,
           deadline_at = null where id = any($1)`,
        [runs.map(({ id }) => id)],
      );
      await notify(tx, channels.work, [...new Set(runs.map(queueOf))]);
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

  async noteProgress(report: ProgressReport): Promise<AssignmentState> {
    const { progress, stage } = report;
    return this.#database.transaction(async (tx) => {
      const [state = "lost"] = await touch(tx, [report], "progress = $4::float8, stage = $5::text", [progress, stage ?? null]);
      if (state !== "lost") await notifyRuns(tx, [report.runId]);
      return state;
    });
  }

  async defer(assignment: Assignment): Promise<AssignmentState> {
    const deadline = "coalesce(r.deadline_at, clock_timestamp() + r.timeout_ms * interval '1 ms')";
    const [state = "lost"] = await touch(
      this.#database,
      [assignment],
      `deadline_at = ${deadline}, lease_until = ${deadline}`,
      [],
    );
    return state;
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
    const { audit } = this.#options;
    const seen = await this.#options.reads.find(runId);
    if (!seen || isTerminal(seen.status)) return seen;
    await retryOnce(() =>
      changingRuns(this.#options, async (tx, change) => {
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
