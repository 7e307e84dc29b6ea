import { AppError } from "@appserver/kernel";
import type { Transaction } from "@appserver/kernel/ports";
import { queueOf, type RunRecord } from "../domain/run.ts";
import type { NewRun } from "../ports.ts";
import { channels } from "./channels.ts";
import { runs as columns } from "./run-rows.ts";

/** Stores new runs and notifies workers, except those whose idempotency key is already used. Returns the stored runs by id. */
export async function insertRuns(tx: Transaction, runs: readonly NewRun[]): Promise<ReadonlyMap<string, RunRecord>> {
  const of = <T>(value: (run: NewRun) => T): T[] => runs.map(value);
  const { rows } = await tx.query<{ id: string }>(
    `with stored as (
       insert into activity.runs (id, app_id, app_name, app_version, activity, status, attempt, max_retries, timeout_ms,
         singleton_key, idempotency_key, triggered_by, retry_of, traceparent, scheduled_for, queued_at, input)
       select id, app_id, app_name, app_version, activity, 'QUEUED', 0, max_retries, timeout_ms, singleton_key,
         idempotency_key, triggered_by, retry_of, traceparent, greatest(run_at, now()), now(), input::json
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::int[], $7::int[], $8::text[], $9::text[],
         $10::text[], $11::uuid[], $12::timestamptz[], $13::text[], $14::text[])
         as n (id, app_id, app_name, app_version, activity, max_retries, timeout_ms, singleton_key, idempotency_key,
           triggered_by, retry_of, run_at, input, traceparent)
       on conflict (app_name, activity, idempotency_key) where idempotency_key is not null do nothing returning ${columns.selected}
     )
     select stored.*, (select count(pg_notify($15, queue)) from unnest($16::text[]) as queue) from stored`,
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
      of(({ run }) => run.retryOf ?? null),
      of(({ runAt }) => runAt ?? null),
      of(({ input }) => input ?? null),
      of(({ run }) => run.traceparent ?? null),
      channels.work,
      [...new Set(of(({ run }) => queueOf(run)))],
    ],
  );
  return new Map(rows.map((row) => [row.id, columns.record(row)]));
}

/** Returns the stored runs; for those not stored, the earlier run with their idempotency key. */
export async function withEarlier(
  tx: Transaction,
  runs: readonly NewRun[],
  stored: ReadonlyMap<string, RunRecord>,
): Promise<readonly RunRecord[]> {
  return Promise.all(
    runs.map(async ({ run }) => {
      const fresh = stored.get(run.id);
      if (fresh) return fresh;
      const { rows } = await tx.query(
        `select ${columns.selected} from activity.runs where app_name = $1 and activity = $2 and idempotency_key = $3`,
        [run.appName, run.activity, run.idempotencyKey],
      );
      if (!rows[0]) throw new AppError("CONFLICT", "the earlier run with this idempotency key was just deleted; retry");
      return columns.record(rows[0]);
    }),
  );
}
