import { AsyncLocalStorage } from "node:async_hooks";
import { AppError } from "../app-error.ts";
import type { SqlExecutor, Transaction } from "../platform-ports/database.ts";
import type { KeyedWork, WorkReceipt } from "../platform-ports/idempotency-keys.ts";

interface RunningWork {
  readonly work: KeyedWork;
  hasSucceeded: boolean;
}

const current = new AsyncLocalStorage<RunningWork>();

/**
 * Runs the work of a request with a key. Until it has succeeded, each transaction that stores what the request makes records it with
 * {@link recordKeyedWork}. What continues in the background afterwards belongs to the platform.
 */
export async function runKeyedWork<T>(work: KeyedWork, run: () => Promise<T>): Promise<T> {
  const running: RunningWork = { work, hasSucceeded: false };
  const result = await current.run(running, run);
  running.hasSucceeded = true;
  return result;
}

/** Runs what only prepares the work of the current request, and may be done again: it is not recorded. */
export function outsideKeyedWork<T>(run: () => T): T {
  return current.exit(run);
}

/** Returns the work of the current request. Undefined if the request has no key, or if its work has succeeded. */
export function currentKeyedWork(): KeyedWork | undefined {
  const running = current.getStore();
  return running === undefined || running.hasSucceeded ? undefined : running.work;
}

/**
 * Returns what an earlier request with the key of the current one has made. Then the use case checks the permission, does no work,
 * and returns that result as it is now.
 */
export function earlierReceipt(): WorkReceipt | undefined {
  return currentKeyedWork()?.earlier;
}

/**
 * Records in the caller's transaction what the current request makes. Does nothing for a request without a key. Throws CONFLICT, so
 * that the transaction rolls back, if another request has the key by now, or has done the work.
 */
export async function recordKeyedWork(tx: Transaction, receipt: WorkReceipt): Promise<void> {
  const work = currentKeyedWork();
  if (work && (await recordKeyedWorks(tx, [{ work, receipt }])).has(work)) throw keyedWorkLost();
}

/**
 * Does the same for requests that share a transaction, first in it, because a key stays locked until its end. Returns the work that
 * must not be stored.
 */
export async function recordKeyedWorks(
  tx: SqlExecutor,
  records: readonly { readonly work: KeyedWork; readonly receipt: WorkReceipt }[],
): Promise<ReadonlySet<KeyedWork>> {
  const first = records.filter(({ work }) => work.earlier === undefined);
  const lost = new Set(records.map(({ work }) => work));
  if (first.length === 0) return lost;
  const { rows } = await tx.query<{ readonly claim: string }>(
    `update platform.idempotency_keys as kept set receipt = coalesce(kept.receipt, '{}') || given.receipt::jsonb
     from unnest($1::text[], $2::text[], $3::uuid[], $4::text[]) as given (caller, key, claim, receipt)
     where kept.caller = given.caller and kept.key = given.key and kept.claim = given.claim and not kept.ended
     returning kept.claim`,
    [
      first.map(({ work }) => work.caller),
      first.map(({ work }) => work.key),
      first.map(({ work }) => work.claim),
      first.map(({ receipt }) => JSON.stringify(receipt)),
    ],
  );
  const recorded = new Set(rows.map(({ claim }) => claim));
  for (const { work } of first) if (recorded.has(work.claim)) lost.delete(work);
  return lost;
}

/** Returns the error of work that another request with the same key has taken over. */
export function keyedWorkLost(): AppError {
  return new AppError(
    "CONFLICT",
    "another request with this Idempotency-Key does this work, or has done it; repeat the request",
  );
}
