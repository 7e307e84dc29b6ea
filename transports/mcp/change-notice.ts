import type { Clock } from "@appserver/kernel";

/** Between two notifications. */
const pauseMs = 1_000;

/** Notifies of changes: of the first one at once, and of those within a second after it together. */
export class ChangeNotice {
  readonly #notify: () => void;
  readonly #clock: Clock;
  readonly #stopped = new AbortController();
  /** By the monotonic clock. */
  #notifiedAt = Number.NEGATIVE_INFINITY;
  #isDue = false;

  /** `notify` must not throw. */
  constructor(notify: () => void, clock: Clock) {
    this.#notify = notify;
    this.#clock = clock;
  }

  changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const waitMs = Math.max(0, this.#notifiedAt + pauseMs - this.#clock.monotonic());
    const notify = (): void => {
      this.#isDue = false;
      this.#notifiedAt = this.#clock.monotonic();
      this.#notify();
    };
    void this.#clock.sleep(waitMs, this.#stopped.signal).then(notify, () => {});
  }

  /** Notifies no more. */
  stop(): void {
    this.#stopped.abort();
  }
}
