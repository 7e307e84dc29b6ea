import { AppError, type Clock } from "@appserver/kernel";
import { type Database, DatabaseError, type Transaction } from "@appserver/kernel/ports";
import { type ActivityTimes, leaseMs } from "../domain/limits.ts";
import { isTerminal, queueOf, type RunRecord } from "../domain/run.ts";
import { nextState, type Outcome } from "../domain/run-outcome.ts";
import type {
  AssignedRun,
  Assignment,
  AssignmentState,
  ClaimRequest,
  NewRun,
  ProgressReport,
  ResultReport,
  RunPage,
  RunQuery,
  RunStore,
} from "../ports.ts";
import { type ChangeParts, changeRuns, groupBy, type RunChange } from "./change-runs.ts";
import { channels, notify, notifyRuns } from "./channels.ts";
import { countRuns, findRun, listRuns, readValues } from "./read-runs.ts";
import { type RunRow, runColumns, toRun } from "./run-rows.ts";

export interface SqlRunStoreOptions extends ChangeParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly times: ActivityTimes;
}

/** Rows that one pass of the periodic work takes. */
const passSize = 200;

/**
 * Runs in PostgreSQL. Rows are locked in this order everywhere: the queue's job first where a waiting run is meant, then
 * the record. An attempt under way has nobody after its job.
 */
export class SqlRunStore implements RunStore {
  readonly #options: SqlRunStoreOptions;
  readonly #database: Database;

  constructor(options: SqlRunStoreOptions) {
    this.#options = options;
    this.#database = options.database;
  }

  async enqueue(runs: readonly NewRun[]): Promise<readonly RunRecord[]> {
    const { queue } = this.#options;
    for (const name of new Set(runs.map(({ run }) => queueOf(run)))) await queue.ensure(name);
    return this.#database.transaction(async (tx) => {
      const stored = await insertRuns(tx, runs);
      const fresh = runs.filter(({ run }) => stored.has(run.id)).map(({ run }) => run);
      for (const [name, group] of groupBy(fresh, queueOf)) {
        await queue.put(
          tx,
          name,
          group.map(({ id, scheduledFor }) => ({ id, from: scheduledFor })),
        );
      }
      await notify(tx, channels.work, fresh.map(queueOf));
      return withEarlier(tx, runs, stored);
    });
  }

  async claim(request: ClaimRequest): Promise<readonly AssignedRun[]> {
    const { queue } = this.#options;
    const name = queueOf({ appName: request.appName, activity: request.definition.name });
    await queue.ensure(name);
    return this.#database.transaction(async (tx) => {
      const limit = await roomFor(tx, request);
      const ids = limit > 0 ? await queue.take(tx, name, limit) : [];
      if (ids.length === 0) return [];
      const { rows } = await tx.query<RunRow & { input_text: string | null }>(
        `UPDATE activity.runs SET status = 'RUNNING', attempt = attempt + 1, started_at = $2, progress = NULL, stage = NULL,
           lease_until = clock_timestamp() + $3 * interval '1 ms',
           deadline_at = clock_timestamp() + timeout_ms * interval '1 ms'
         WHERE id = ANY($1) AND status = 'QUEUED' RETURNING ${runColumns}, input::text AS input_text`,
        [ids, new Date(this.#options.clock.now()), leaseMs(this.#options.times)],
      );
      const claimed = new Set(rows.map(({ id }) => id));
      const leftOver = ids.filter((id) => !claimed.has(id));
      if (leftOver.length > 0) await queue.remove(tx, name, leftOver);
      await notifyRuns(tx, [...claimed]);
      const assigned = rows.map((row) => ({ run: toRun(row), input: row.input_text ?? undefined }));
      return assigned.sort((a, b) => (a.run.id < b.run.id ? -1 : 1));
    });
  }

  async release(assignments: readonly Assignment[]): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const runs = await lockHeld(tx, assignments);
      for (const [name, group] of groupBy(runs, queueOf)) {
        const ids = group.map(({ id }) => id);
        await tx.query(
          `UPDATE activity.runs SET status = 'QUEUED', attempt = attempt - 1, started_at = NULL, lease_until = NULL,
             deadline_at = NULL WHERE id = ANY($1)`,
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
    return touch(this.#database, assignments, "lease_until = clock_timestamp() + $4 * interval '1 ms'", [
      leaseMs(this.#options.times),
    ]);
  }

  async progress(given: readonly ProgressReport[]): Promise<readonly AssignmentState[]> {
    // Of one run's several, the last holds.
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
        `lease_until = clock_timestamp() + $4 * interval '1 ms', progress = ($5::float8[])[held.position],
         stage = ($6::text[])[held.position]`,
        [leaseMs(this.#options.times), reports.map(({ progress }) => progress), reports.map(({ stage }) => stage ?? null)],
      );
      await notifyRuns(
        tx,
        reports.flatMap(({ runId }, index) => (states[index] === "lost" ? [] : [runId])),
      );
      return states;
    });
  }

  async settle(results: readonly ResultReport[]): Promise<readonly boolean[]> {
    return this.#database.transaction(async (tx) => {
      const current = await lockRuns(
        tx,
        results.map(({ runId }) => runId),
      );
      const changes: RunChange[] = [];
      const accepted = results.map((result) => {
        const run = current.get(result.runId);
        if (!run || run.appName !== result.appName || run.attempt !== result.attempt) return false;
        if (run.status !== "RUNNING") return isEcho(run, result.outcome);
        const next = this.#next(run, result.outcome);
        changes.push({ run, next });
        // A second report of the same attempt, in the same batch, meets what the first made of it.
        current.set(run.id, { ...run, status: next.status });
        return true;
      });
      await changeRuns(tx, this.#options, changes);
      return accepted;
    });
  }

  async disconnected(assignments: readonly Assignment[]): Promise<void> {
    const { reconnectMs } = this.#options.times;
    await touch(this.#database, assignments, "lease_until = least(r.lease_until, clock_timestamp() + $4 * interval '1 ms')", [
      reconnectMs,
    ]);
  }

  async cancel(runId: string): Promise<RunRecord | undefined> {
    const seen = await this.find(runId);
    if (!seen || isTerminal(seen.status)) return seen;
    await retryOnce(() =>
      this.#database.transaction(async (tx) => {
        // A run that is just being taken holds its job: waiting for that first, nobody waits for us the other way round.
        if (seen.status === "QUEUED") await this.#options.queue.remove(tx, queueOf(seen), [runId]);
        const run = (await lockRuns(tx, [runId])).get(runId);
        if (run?.status === "QUEUED")
          await changeRuns(tx, this.#options, [{ run, next: this.#next(run, { kind: "canceled" }) }]);
        if (run?.status === "RUNNING") await this.#askToStop(tx, run);
      }),
    );
    return this.find(runId);
  }

  async #askToStop(tx: Transaction, run: RunRecord): Promise<void> {
    await tx.query(
      `UPDATE activity.runs SET cancel_requested = true,
         cancel_until = coalesce(cancel_until, clock_timestamp() + $2 * interval '1 ms') WHERE id = $1`,
      [run.id, this.#options.times.cancelMs],
    );
    await notify(tx, channels.cancel, [run.id]);
    await notifyRuns(tx, [run.id]);
  }

  async endOverdue(): Promise<number> {
    const ended = await this.#endRunning();
    return ended + (await this.#endWaiting());
  }

  #endRunning(): Promise<number> {
    return this.#database.transaction(async (tx) => {
      const { rows } = await tx.query<RunRow & { reason: Outcome["kind"] }>(
        `SELECT ${runColumns}, CASE WHEN deadline_at < clock_timestamp() THEN 'timed_out'
           WHEN cancel_until < clock_timestamp() THEN 'canceled' ELSE 'crashed' END AS reason
         FROM activity.runs
         WHERE status = 'RUNNING' AND least(lease_until, deadline_at, cancel_until) < clock_timestamp()
         ORDER BY id LIMIT ${passSize} FOR UPDATE SKIP LOCKED`,
      );
      const changes = rows.map((row) => {
        const run = toRun(row);
        return { run, next: this.#next(run, { kind: row.reason } as Outcome) };
      });
      await changeRuns(tx, this.#options, changes);
      // Their workers may be at it still.
      await notify(
        tx,
        channels.cancel,
        changes.map(({ run }) => run.id),
      );
      return changes.length;
    });
  }

  async #endWaiting(): Promise<number> {
    const { rows } = await this.#database.query<RunRow>(
      `SELECT ${runColumns} FROM activity.runs
       WHERE status = 'QUEUED' AND scheduled_for < clock_timestamp() - $1 * interval '1 ms' ORDER BY id LIMIT ${passSize}`,
      [this.#options.times.waitMs],
    );
    if (rows.length === 0) return 0;
    return this.#database.transaction(async (tx) => {
      for (const [name, group] of groupBy(rows.map(toRun), queueOf)) {
        await this.#options.queue.remove(
          tx,
          name,
          group.map(({ id }) => id),
        );
      }
      const current = await lockRuns(
        tx,
        rows.map(({ id }) => id),
      );
      const waiting = [...current.values()].filter(({ status }) => status === "QUEUED");
      const changes = waiting.map((run) => ({ run, next: this.#next(run, { kind: "expired" }) }));
      await changeRuns(tx, this.#options, changes);
      return changes.length;
    });
  }

  async purge(): Promise<number> {
    const { count } = await this.#database.query(
      `DELETE FROM activity.runs WHERE id IN (SELECT id FROM activity.runs
         WHERE finished_at < clock_timestamp() - $1 * interval '1 ms' ORDER BY finished_at LIMIT 1000)`,
      [this.#options.times.keepMs],
    );
    return count;
  }

  async deleteFinished(appName: string): Promise<void> {
    await this.#database.query("DELETE FROM activity.runs WHERE app_name = $1 AND finished_at IS NOT NULL", [appName]);
  }

  find(runId: string): Promise<RunRecord | undefined> {
    return findRun(this.#database, runId);
  }

  values(runId: string): Promise<{ readonly input: string | undefined; readonly output: string | undefined }> {
    return readValues(this.#database, runId);
  }

  list(query: RunQuery): Promise<RunPage> {
    return listRuns(this.#database, query, new Date(this.#options.clock.now()));
  }

  count(query: Pick<RunQuery, "appName" | "status">): Promise<number> {
    return countRuns(this.#database, query, new Date(this.#options.clock.now()));
  }

  #next(run: RunRecord, outcome: Outcome) {
    return nextState(run, outcome, new Date(this.#options.clock.now()), Math.random());
  }
}

async function insertRuns(tx: Transaction, runs: readonly NewRun[]): Promise<ReadonlySet<string>> {
  const of = <T>(value: (run: NewRun) => T): T[] => runs.map(value);
  const { rows } = await tx.query<{ id: string }>(
    `INSERT INTO activity.runs (id, app_id, app_name, app_version, activity, status, attempt, max_retries, timeout_ms,
       singleton_key, idempotency_key, triggered_by, scheduled_for, queued_at, input)
     SELECT id, app_id, app_name, app_version, activity, 'QUEUED', 0, max_retries, timeout_ms, singleton_key,
       idempotency_key, triggered_by, scheduled_for, queued_at, input::json
     FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::int[], $7::int[], $8::text[], $9::text[],
       $10::text[], $11::timestamptz[], $12::timestamptz[], $13::text[])
       AS n (id, app_id, app_name, app_version, activity, max_retries, timeout_ms, singleton_key, idempotency_key,
         triggered_by, scheduled_for, queued_at, input)
     ON CONFLICT (app_name, activity, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING RETURNING id`,
    [
      of(({ run }) => run.id),
      of(({ run }) => run.appId),
      of(({ run }) => run.appName),
      of(({ run }) => run.appVersion),
      of(({ run }) => run.activity),
      of(({ run }) => run.maxRetries),
      of(({ run }) => run.timeoutMs),
      of(({ run }) => run.singletonKey ?? null),
      of(({ run }) => run.idempotencyKey ?? null),
      of(({ run }) => run.triggeredBy),
      of(({ run }) => run.scheduledFor),
      of(({ run }) => run.queuedAt),
      of(({ input }) => input ?? null),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

/** The runs as stored; for those that were not, the first with their idempotency key. */
async function withEarlier(
  tx: Transaction,
  runs: readonly NewRun[],
  stored: ReadonlySet<string>,
): Promise<readonly RunRecord[]> {
  return Promise.all(
    runs.map(async ({ run }) => {
      if (stored.has(run.id)) return run;
      const { rows } = await tx.query<RunRow>(
        `SELECT ${runColumns} FROM activity.runs WHERE app_name = $1 AND activity = $2 AND idempotency_key = $3`,
        [run.appName, run.activity, run.idempotencyKey],
      );
      if (!rows[0]) throw new AppError("CONFLICT", "the earlier run with this idempotency key was just deleted; try again");
      return toRun(rows[0]);
    }),
  );
}

/** How many more may run now. Claims of one limited activity, or of one singleton key, take turns until they commit. */
async function roomFor(tx: Transaction, { appName, definition, limit }: ClaimRequest): Promise<number> {
  const { name, concurrency, singletonKey } = definition;
  let room = limit;
  const running = async (lock: string, condition: string, value: string): Promise<number> => {
    await tx.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [lock]);
    const { rows } = await tx.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM activity.runs WHERE status = 'RUNNING' AND app_name = $1 AND ${condition} = $2`,
      [appName, value],
    );
    return rows[0]?.count ?? 0;
  };
  if (singletonKey !== undefined)
    room = Math.min(room, 1 - (await running(`activity:${appName}#${singletonKey}`, "singleton_key", singletonKey)));
  if (concurrency !== undefined)
    room = Math.min(room, concurrency - (await running(`activity:${appName}/${name}`, "activity", name)));
  return room;
}

async function lockRuns(tx: Transaction, ids: readonly string[]): Promise<Map<string, RunRecord>> {
  const { rows } = await tx.query<RunRow>(`SELECT ${runColumns} FROM activity.runs WHERE id = ANY($1) ORDER BY id FOR UPDATE`, [
    ids,
  ]);
  return new Map(rows.map((row) => [row.id, toRun(row)]));
}

async function lockHeld(tx: Transaction, assignments: readonly Assignment[]): Promise<readonly RunRecord[]> {
  const attempts = new Map(assignments.map(({ runId, attempt }) => [runId, attempt]));
  const runs = await lockRuns(tx, [...attempts.keys()]);
  return [...runs.values()].filter((run) => run.status === "RUNNING" && run.attempt === attempts.get(run.id));
}

/** Changes held assignments. `$1` to `$3` name them; `values` start at `$4`. */
async function touch(
  sql: Pick<Transaction, "query">,
  assignments: readonly Assignment[],
  assignmentsSql: string,
  values: readonly unknown[],
): Promise<readonly AssignmentState[]> {
  const { rows } = await sql.query<{ id: string; attempt: number; cancel_requested: boolean }>(
    `WITH held AS (
       SELECT r.id, given.position FROM unnest($1::uuid[], $2::int[], $3::text[])
         WITH ORDINALITY AS given (id, attempt, app_name, position)
       JOIN activity.runs r ON r.id = given.id
       WHERE r.attempt = given.attempt AND r.app_name = given.app_name AND r.status = 'RUNNING'
       ORDER BY r.id FOR UPDATE OF r
     )
     UPDATE activity.runs r SET ${assignmentsSql} FROM held WHERE r.id = held.id
     RETURNING r.id, r.attempt, r.cancel_requested`,
    [
      assignments.map(({ runId }) => runId),
      assignments.map(({ attempt }) => attempt),
      assignments.map(({ appName }) => appName),
      ...values,
    ],
  );
  const held = new Map(rows.map((row) => [row.id, row]));
  return assignments.map(({ runId, attempt }) => {
    const row = held.get(runId);
    if (row?.attempt !== attempt) return "lost";
    return row.cancel_requested ? "cancel_requested" : "held";
  });
}

/** Whether the report tells again what an earlier one of this attempt brought about: its answer was lost. */
function isEcho(run: RunRecord, outcome: Outcome): boolean {
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
