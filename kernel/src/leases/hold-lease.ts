import { messageOf } from "../app-error.ts";
import type { Clock } from "../clock.ts";
import { within } from "../concurrency/within.ts";
import { DatabaseError } from "../platform-ports/database.ts";
import type { Lease, Leases } from "../platform-ports/leases.ts";

/** The reason with which {@link holdLease} aborts a signal. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** Passed to the work: the fence that its writes must carry, and a signal that aborts if the lease is lost. */
export interface HeldLease {
  readonly fence: number;
  readonly signal: AbortSignal;
}

export type HoldResult<T> = { readonly held: true; readonly value: T } | { readonly held: false };

/**
 * Runs the work under the lease, renews the lease every third of its ttl, and releases it afterwards. Returns `held: false`,
 * without running the work, if another process holds it. Rejects with the error of the work. Writes carry the fence because the
 * work may continue in spite of the signal.
 */
export async function holdLease<T>(
  leases: Leases,
  name: string,
  ttlMs: number,
  clock: Clock,
  work: (held: HeldLease) => Promise<T>,
): Promise<HoldResult<T>> {
  // Measured from before the request: the response of the database may have been late.
  const acquiredAt = clock.monotonic();
  const lease = await leases.acquire(name, ttlMs);
  if (!lease) return { held: false };
  const lost = new AbortController();
  const finished = new AbortController();
  const renewing = keepRenewing(lease, ttlMs, acquiredAt, clock, finished.signal, lost);
  try {
    return { held: true, value: await work({ fence: lease.fence, signal: lost.signal }) };
  } finally {
    finished.abort();
    await renewing;
    // If it is not released, it expires.
    await lease.release().catch(() => {});
  }
}

async function keepRenewing(
  lease: Lease,
  ttlMs: number,
  acquiredAt: number,
  clock: Clock,
  finished: AbortSignal,
  lost: AbortController,
): Promise<void> {
  let validUntil = acquiredAt + ttlMs;
  let cause: unknown = new Error("it was not renewed in time");
  while (!finished.aborted) {
    await clock.sleep(Math.min(ttlMs / 3, Math.max(0, validUntil - clock.monotonic())), finished).catch(() => {});
    if (finished.aborted) return;
    const attemptAt = clock.monotonic();
    if (attemptAt >= validUntil) {
      return lost.abort(new LeaseLostError(`lease ${lease.name} is lost: ${messageOf(cause)}`, { cause }));
    }
    try {
      if (!(await renewBefore(lease, validUntil - attemptAt, clock, finished))) {
        return lost.abort(new LeaseLostError(`lease ${lease.name} is lost: another process holds it`));
      }
      validUntil = attemptAt + ttlMs;
    } catch (error) {
      // The database may be available again before the lease expires.
      cause = error;
    }
  }
}

/** Limits the time of a renewal. A renewal that hangs must neither hide that the lease expired nor delay work that has ended. */
function renewBefore(lease: Lease, ms: number, clock: Clock, finished: AbortSignal): Promise<boolean> {
  const error = (): Error => new DatabaseError("unavailable", "the database did not respond");
  return within(() => lease.renew(), { clock, ms, signal: finished, error });
}
