import { LRUCache } from "lru-cache";

export interface Expiring {
  /** On the monotonic clock, in milliseconds. From this moment on the entry is gone. */
  expiresAt: number;
}

/** What an entry costs beyond its texts: map, list and object headers, generously. */
const overheadBytes = 160;

/** Entries by key within a bound of bytes; the least recently used make room. */
export class ExpiringStore<Entry extends Expiring> {
  readonly #entries: LRUCache<string, Entry>;

  constructor(maxBytes: number) {
    this.#entries = new LRUCache<string, Entry>({ maxSize: maxBytes });
  }

  get(key: string, now: number): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expiresAt > now) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  /** `bytes` is the size of the entry without its key. An entry larger than the whole bound is not kept. */
  set(key: string, entry: Entry, bytes: number, now: number): void {
    this.#dropExpired(now);
    this.#entries.set(key, entry, { size: overheadBytes + textBytes(key) + bytes });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  deletePrefix(prefix: string): void {
    for (const key of [...this.#entries.keys()]) {
      if (key.startsWith(prefix)) this.#entries.delete(key);
    }
  }

  /** Entries held, those that have expired unnoticed included. */
  get size(): number {
    return this.#entries.size;
  }

  /** Two for each one that comes, from the end that nobody has used for longest: expired entries cannot pile up. */
  #dropExpired(now: number): void {
    for (let dropped = 0; dropped < 2; dropped += 1) {
      const { value: oldest } = this.#entries.rkeys().next();
      if (oldest === undefined) return;
      const entry = this.#entries.peek(oldest);
      if (entry === undefined || entry.expiresAt > now) return;
      this.#entries.delete(oldest);
    }
  }
}

/** At most: texts in Latin letters take half. */
export function textBytes(text: string): number {
  return 2 * text.length;
}
