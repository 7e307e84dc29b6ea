import type { Clock } from "@appserver/kernel";

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/** A clock that stands still until told. */
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

  /** How many sleep: lets a test wait until the code under test has come to its pause. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /**
   * Moves both times, waking each sleeper at its own moment and in order. What a sleeper does next happens before time
   * goes on, so one that sleeps again within `ms` is woken again.
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

  /** Moves both times while nothing runs, as where the process is stopped: who was due by then wakes with the next {@link advance}. */
  standStill(ms: number): void {
    this.#moveTo(this.#monotonic + ms);
  }

  /** Moves the wall clock alone, as an operator or NTP does. */
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
