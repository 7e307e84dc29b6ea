import type { InstanceView } from "../ports.ts";

/** Stores when one app was last probed and how many probes failed in a row. Times are monotonic. */
export class HealthWatch {
  #failures = 0;
  #nextAt = 0;
  /** Of each instance that failed its last check, by its id. */
  #failuresOf: ReadonlyMap<string, number> = new Map();

  /** Discards the results of earlier probes, because another deployment is watched from now on. */
  reset(): void {
    this.#failures = 0;
    this.#nextAt = 0;
    this.#failuresOf = new Map();
  }

  /** Makes the next probe due, because instances were started. */
  hasten(): void {
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

  /**
   * Records a probe of each instance. Returns the instances as they count: one that `wasReady` stays so until its failures in a row reach
   * the threshold.
   */
  recordEach(
    probed: readonly InstanceView[],
    wasReady: (instance: InstanceView) => boolean,
    threshold: number,
  ): readonly InstanceView[] {
    const failed = probed.filter(({ isReady }) => !isReady);
    this.#failuresOf = new Map(failed.map(({ id }) => [id, (this.#failuresOf.get(id) ?? 0) + 1]));
    const stays = (instance: InstanceView): boolean =>
      instance.address !== undefined && wasReady(instance) && (this.#failuresOf.get(instance.id) ?? 0) < threshold;
    return probed.map((instance) => ({ ...instance, isReady: instance.isReady || stays(instance) }));
  }
}
