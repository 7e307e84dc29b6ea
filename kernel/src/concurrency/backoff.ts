export interface BackoffOptions {
  /** The pause after the first failure. */
  readonly firstMs: number;
  /** Maximum pause. */
  readonly maxMs: number;
  /** The part of a pause, 0 to 1, by which it may be shorter at random, so that replicas do not retry at the same moment. @defaultValue 0 */
  readonly jitter?: number;
}

/** Returns the pause after that many failures in a row: it starts at `firstMs` and doubles with each further failure. */
export function backoffMs(failures: number, { firstMs, maxMs, jitter = 0 }: BackoffOptions): number {
  return jittered(Math.min(firstMs * 2 ** (failures - 1), maxMs), jitter);
}

/** Returns a random time between `ms` and the part of it that `jitter` leaves. */
export function jittered(ms: number, jitter: number): number {
  return jitter === 0 ? ms : ms * (1 - jitter * Math.random());
}
