import type { Clock } from "./clock.ts";

/** Given to the abort, which would otherwise make an error with its stack each time. */
const woken = "woken";

/** A pause that others can end, and that remembers a wake-up which came while nobody paused. */
export class Waker {
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  #woken = false;
  #endPause: () => void = () => {};

  constructor(clock: Clock, stopping: AbortSignal) {
    this.#clock = clock;
    this.#stopping = stopping;
  }

  wake(): void {
    this.#woken = true;
    this.#endPause();
  }

  /** Wakes after that time, unless stopping. */
  wakeIn(ms: number): void {
    void this.#clock.sleep(ms, this.#stopping).then(
      () => this.wake(),
      () => {},
    );
  }

  /** Forgets earlier wake-ups: call it before looking for what they told of. */
  reset(): void {
    this.#woken = false;
  }

  /** Until woken, the time is over, or stopping. Returns at once when woken since the last reset. */
  async pause(ms: number): Promise<void> {
    if (!this.#woken) {
      const over = new AbortController();
      this.#endPause = () => over.abort(woken);
      await this.#clock.sleep(ms, AbortSignal.any([over.signal, this.#stopping])).catch(() => {});
      this.#endPause = () => {};
    }
    this.#woken = false;
  }
}
