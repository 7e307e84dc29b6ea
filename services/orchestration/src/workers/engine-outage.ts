import type { Clock } from "@appserver/kernel";
import { ContainerError } from "../ports.ts";

/**
 * When the container engine was away last. Containers that ended with it are started again without a back-off, and are not counted as
 * crashes of their apps.
 */
export class EngineOutage {
  readonly #clock: Clock;
  /** Monotonic. */
  #lastAwayAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes note of an error of the engine. Returns whether the engine was away. */
  note(error: unknown): boolean {
    const isAway = error instanceof ContainerError && error.reason === "unreachable";
    if (isAway) this.#lastAwayAt = this.#clock.monotonic();
    return isAway;
  }

  /** Returns whether the engine was away after this time, which is monotonic. */
  wasAwaySince(at: number): boolean {
    return this.#lastAwayAt >= at;
  }
}
