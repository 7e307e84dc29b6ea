import type { Clock } from "../clock.ts";

export interface SharedPollOptions<Value> {
  readonly clock: Clock;
  /** The pause between the starts of two reads of one key. */
  readonly intervalMs: number;
  readonly read: (key: string) => Promise<Value>;
}

interface Watched<Value> {
  watchers: number;
  /** The last read, which may still run. */
  reading: Promise<Value> | undefined;
  /** When it started. Monotonic. */
  readAt: number;
}

/** Reads values repeatedly for watchers. All watchers of a key share one read per interval. */
export class SharedPoll<Value> {
  readonly #options: SharedPollOptions<Value>;
  readonly #watched = new Map<string, Watched<Value>>();

  constructor(options: SharedPollOptions<Value>) {
    this.#options = options;
  }

  /**
   * Yields the value at once, at most one interval old, and then after each interval, until the signal aborts. Throws what a read
   * throws.
   */
  async *watch(key: string, signal: AbortSignal): AsyncGenerator<Value> {
    const { clock, intervalMs } = this.#options;
    const watched = this.#watched.get(key) ?? { watchers: 0, reading: undefined, readAt: 0 };
    this.#watched.set(key, watched);
    watched.watchers += 1;
    try {
      while (!signal.aborted) {
        yield await this.#read(key, watched);
        const leftMs = watched.readAt + intervalMs - clock.monotonic();
        await clock.sleep(Math.max(0, leftMs), signal).catch(() => {});
      }
    } finally {
      watched.watchers -= 1;
      if (watched.watchers === 0) this.#watched.delete(key);
    }
  }

  #read(key: string, watched: Watched<Value>): Promise<Value> {
    const { clock, intervalMs, read } = this.#options;
    const now = clock.monotonic();
    if (watched.reading && now < watched.readAt + intervalMs) return watched.reading;
    const reading = read(key).catch((error: unknown) => {
      // A failed read is not shared with later watchers.
      if (watched.reading === reading) watched.reading = undefined;
      throw error;
    });
    watched.reading = reading;
    watched.readAt = now;
    return reading;
  }
}
