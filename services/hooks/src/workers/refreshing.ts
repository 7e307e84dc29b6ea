import { backoffMs, type Clock } from "@appserver/kernel";

const retries = { firstMs: 1_000, maxMs: 15_000 };

export interface RefreshingOptions {
  readonly refresh: () => Promise<void>;
  /** Called for each failed attempt. Another one follows. */
  readonly onError: (error: unknown) => void;
  readonly clock: Clock;
}

/** Reads something again after each request, until that succeeds. Requests during a read are answered by one more read. */
export class Refreshing {
  readonly #options: RefreshingOptions;
  readonly #stopping = new AbortController();
  #isStarted = false;
  #isStale = false;
  #running: Promise<void> | undefined;

  constructor(options: RefreshingOptions) {
    this.#options = options;
  }

  /** Begins with a read. */
  start(): void {
    this.#isStarted = true;
    this.soon();
  }

  /** Resolves when no read runs any longer. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Has no effect before the start and after the stop. */
  soon(): void {
    if (!this.#isStarted || this.#stopping.signal.aborted) return;
    this.#isStale = true;
    this.#running ??= this.#refreshWhileStale();
  }

  async #refreshWhileStale(): Promise<void> {
    const { refresh, onError, clock } = this.#options;
    const { signal } = this.#stopping;
    for (let failures = 0; this.#isStale && !signal.aborted; ) {
      this.#isStale = false;
      try {
        await refresh();
        failures = 0;
      } catch (error) {
        this.#isStale = true;
        failures += 1;
        onError(error);
        await clock.sleep(backoffMs(failures, retries), signal).catch(() => {});
      }
    }
    this.#running = undefined;
  }
}
