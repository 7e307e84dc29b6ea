import type { Clock } from "../clock.ts";

/** Passed to the abort, which would otherwise create an error with its stack each time. */
const woken = "woken";

/** A pause that other code can end. A wake-up without a current pause ends the next pause at once. */
export class WakeUp {
  readonly #clock: Clock;
  readonly #stopping: AbortSignal | undefined;
  #isWoken = false;
  #endPause: () => void = () => {};

  /** Every pause ends when `stopping` aborts. */
  constructor(clock: Clock, stopping?: AbortSignal) {
    this.#clock = clock;
    this.#stopping = stopping;
  }

  /** True after a wake-up that no pause and no {@link reset} has consumed. */
  get isWoken(): boolean {
    return this.#isWoken;
  }

  wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  /** Wakes after that time, unless `stopping` aborts. */
  wakeIn(ms: number): void {
    void this.#clock.sleep(ms, this.#stopping).then(
      () => this.wake(),
      () => {},
    );
  }

  /** Discards earlier wake-ups. Call it before reading the state that wake-ups are about. */
  reset(): void {
    this.#isWoken = false;
  }

  /**
   * Waits for a wake-up, the end of the time, `stopping` or `signal`. Returns at once if woken since the last reset. Never rejects.
   * Resolves with whether it was woken.
   */
  async pause(ms: number, signal?: AbortSignal): Promise<boolean> {
    if (!this.#isWoken) {
      const over = new AbortController();
      this.#endPause = () => over.abort(woken);
      const ends = [over.signal, this.#stopping, signal].filter((each) => each !== undefined);
      await this.#clock.sleep(ms, AbortSignal.any(ends)).catch(() => {});
      this.#endPause = () => {};
    }
    const isWoken = this.#isWoken;
    this.#isWoken = false;
    return isWoken;
  }
}
