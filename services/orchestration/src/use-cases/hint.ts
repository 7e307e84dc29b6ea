import type { Clock } from "@appserver/kernel";

/** Wakes one waiter; a hint that comes while nobody waits is kept for the next wait. */
export class Hint {
  readonly #clock: Clock;
  #isRaised = false;
  #wake: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isRaised(): boolean {
    return this.#isRaised;
  }

  raise(): void {
    this.#isRaised = true;
    this.#wake();
  }

  /** To be called before looking at what hints are about: what is hinted afterwards must be looked at again. */
  clear(): void {
    this.#isRaised = false;
  }

  /** Until hinted, the time is over, or `signal`; never rejects. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#isRaised) return;
    const hinted = new AbortController();
    this.#wake = () => hinted.abort();
    await this.#clock.sleep(ms, AbortSignal.any([hinted.signal, signal])).catch(() => {});
    this.#wake = () => {};
  }
}
