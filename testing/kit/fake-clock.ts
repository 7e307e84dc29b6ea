import type { Clock } from "@appserver/kernel";

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/** A clock that moves only when a test moves it. */
export class FakeClock implements Clock {
  #now: number;
  #monotonic = 0;
  readonly #sleepers = new Set<Sleeper>();

  constructor(now: number = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        due: this.#monotonic + ms,
        wake: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** The number of sleepers. A test can wait until the code under test sleeps. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /**
   * Advances both times and wakes each sleeper at its own moment and in order. A sleeper's next steps run before the time
   * advances further, so one that sleeps again within `ms` is woken again.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    for (let next = this.#nextUntil(end); next; next = this.#nextUntil(end)) {
      this.#moveTo(next.due);
      this.#sleepers.delete(next);
      next.wake();
      await settle();
    }
    this.#moveTo(end);
    await settle();
  }

  /**
   * Advances both times while nothing runs, as if the process were stopped. Sleepers that were due wake with the next {@link
   * advance}.
   */
  standStill(ms: number): void {
    this.#moveTo(this.#monotonic + ms);
  }

  /** Moves only the wall clock, as an operator or NTP does. */
  jump(ms: number): void {
    this.#now += ms;
  }

  #nextUntil(end: number): Sleeper | undefined {
    const [first] = [...this.#sleepers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due);
    return first;
  }

  #moveTo(monotonic: number): void {
    const step = Math.max(0, monotonic - this.#monotonic);
    this.#monotonic += step;
    this.#now += step;
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
