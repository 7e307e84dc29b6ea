/** Stores when one app was last probed and how many probes failed in a row. Times are monotonic. */
export class HealthWatch {
  #failures = 0;
  #nextAt = 0;

  /** Discards the results of earlier probes, because another deployment is watched from now on. */
  reset(): void {
    this.#failures = 0;
    this.#nextAt = 0;
  }

  isDue(now: number): boolean {
    return now >= this.#nextAt;
  }

  millisecondsLeft(now: number): number {
    return Math.max(0, this.#nextAt - now);
  }

  /** Records a probe. Returns the number of failures in a row. */
  record(isHealthy: boolean, now: number, intervalMs: number): number {
    this.#failures = isHealthy ? 0 : this.#failures + 1;
    this.#nextAt = now + intervalMs;
    return this.#failures;
  }
}
