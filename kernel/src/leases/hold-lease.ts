import { messageOf } from "../app-error.ts";
import type { Clock } from "../clock.ts";
import { within } from "../concurrency/within.ts";
import type { Lease, Leases } from "../platform-ports/leases.ts";

/** The reason of a signal aborted by {@link holdLease}. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** What work under a lease gets: the number its writes carry, and a signal that aborts when the lease is lost. */
export interface HeldLease {
  readonly fence: number;
  readonly signal: AbortSignal;
}

export type HoldResult<T> = { readonly held: true; readonly value: T } | { readonly held: false };

/**
 * Runs the work under the lease, renewing it every third of its ttl, and releases it afterwards. `held: false` when
 * another process holds it; the work did not run then. Rejects with what the work rejects with; work that goes on in spite of
 * the signal is the reason why writes carry the fence.
 */
export async function holdLease<T>(
  leases: Leases,
  name: string,
  ttlMs: number,
  clock: Clock,
  work: (held: HeldLease) => Promise<T>,
): Promise<HoldResult<T>> {
  // Measured from before the request: the database may have answered late.
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
    // Unreleased it expires by itself.
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
  let trouble = "it was not renewed in time";
  while (!finished.aborted) {
    await clock.sleep(Math.min(ttlMs / 3, Math.max(0, validUntil - clock.monotonic())), finished).catch(() => {});
    if (finished.aborted) return;
    const attemptAt = clock.monotonic();
    if (attemptAt >= validUntil) return lost.abort(new LeaseLostError(`lease ${lease.name} is lost: ${trouble}`));
    try {
      if (!(await renewBefore(lease, validUntil - attemptAt, clock, finished))) {
        return lost.abort(new LeaseLostError(`lease ${lease.name} is lost: another process holds it`));
      }
      validUntil = attemptAt + ttlMs;
    } catch (error) {
      // The database may be back before the lease runs out.
      trouble = messageOf(error);
    }
  }
}

/** Bounded: a renewal that hangs must neither hide that the lease ran out nor hold up work that has finished. */
function renewBefore(lease: Lease, ms: number, clock: Clock, finished: AbortSignal): Promise<boolean> {
  const error = (): Error => new Error("the database did not respond");
  return within(() => lease.renew(), { clock, ms, signal: finished, error });
}
