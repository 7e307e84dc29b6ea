import type { Clock } from "../clock.ts";

export interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends the wait early. */
  readonly signal?: AbortSignal | undefined;
}

export interface Deadline extends TimeLimit {
  /** Creates the error for work that was not done in time. */
  readonly error: () => Error;
}

/** Passed to the abort, which would otherwise create an error with its stack each time. */
const settled = "settled";

/**
 * Returns the result of the work. Rejects with `error()` when the time is up, or with the reason of `signal` when that aborts,
 * and aborts the signal that the work received. A later result of the work is discarded.
 */
export async function within<T>(work: (signal: AbortSignal) => Promise<T>, { clock, ms, signal, error }: Deadline): Promise<T> {
  const done = new AbortController();
  const givenUp = new AbortController();
  const late = clock.sleep(ms, signal ? AbortSignal.any([done.signal, signal]) : done.signal).then((): never => {
    throw error();
  });
  late.catch(() => {});
  try {
    const running = work(givenUp.signal);
    running.catch(() => {});
    return await Promise.race([running, late]);
  } catch (reason) {
    givenUp.abort(reason);
    throw reason;
  } finally {
    done.abort(settled);
  }
}

/** Waits until the promise is settled, for `ms` at most. Returns whether it was settled in time. Never rejects. */
export async function settledWithin(promise: Promise<unknown>, { clock, ms, signal }: TimeLimit): Promise<boolean> {
  const isSettled = promise.then(
    () => true,
    () => true,
  );
  return within(() => isSettled, { clock, ms, signal, error: () => new Error("not settled") }).catch(() => false);
}
