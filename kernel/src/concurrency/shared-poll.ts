import type { Clock } from "../clock.ts";

export interface SharedPollOptions<Value> {
  readonly clock: Clock;
  /** The pause between the end of a read and the start of the next one of the same key. */
  readonly intervalMs: number;
  readonly read: (key: string) => Promise<Value>;
}

interface Watched<Value> {
  watchers: number;
  /** The last read, which may still run. */
  reading: Promise<Value> | undefined;
  /** When it ended. Monotonic. Undefined while it runs. */
  endedAt: number | undefined;
}

/** Reads values repeatedly for watchers. All watchers of a key share one read at a time. */
export class SharedPoll<Value> {
  readonly #options: SharedPollOptions<Value>;
  readonly #watched = new Map<string, Watched<Value>>();

  constructor(options: SharedPollOptions<Value>) {
    this.#options = options;
  }

  /**
   * Yields the value of the read that runs, or of the last one if it ended less than an interval ago, or of a new one. Then yields
   * the value of each further read, until the signal aborts. Throws what a read throws.
   */
  async *watch(key: string, signal: AbortSignal): AsyncGenerator<Value> {
    const { clock, intervalMs } = this.#options;
    const watched = this.#watched.get(key) ?? { watchers: 0, reading: undefined, endedAt: undefined };
    this.#watched.set(key, watched);
    watched.watchers += 1;
    try {
      while (!signal.aborted) {
        yield await this.#read(key, watched);
        // Without an end, another watcher has already started the next read.
        const leftMs = watched.endedAt === undefined ? 0 : watched.endedAt + intervalMs - clock.monotonic();
        await clock.sleep(Math.max(0, leftMs), signal).catch(() => {});
      }
    } finally {
      watched.watchers -= 1;
      if (watched.watchers === 0) this.#watched.delete(key);
    }
  }

  #read(key: string, watched: Watched<Value>): Promise<Value> {
    const { clock, intervalMs, read } = this.#options;
    const isOver = watched.endedAt !== undefined && clock.monotonic() >= watched.endedAt + intervalMs;
    if (watched.reading && !isOver) return watched.reading;
    watched.endedAt = undefined;
    watched.reading = read(key)
      .catch((error: unknown) => {
        // A failed read is not shared with later watchers.
        watched.reading = undefined;
        throw error;
      })
      .finally(() => {
        watched.endedAt = clock.monotonic();
      });
    return watched.reading;
  }
}
