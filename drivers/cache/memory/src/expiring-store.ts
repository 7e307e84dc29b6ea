import { LRUCache } from "lru-cache";

export interface Expiring {
  /** On the monotonic clock, in milliseconds. The entry is expired from this time on. */
  expiresAt: number;
}

/** Memory of an entry in addition to its texts, an upper estimate: map, list and object headers. */
const overheadBytes = 160;

/** Stores entries by key within a limit of bytes; the least recently used are dropped to make room. */
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

  /** `bytes` is the size of the entry without its key. An entry larger than the whole limit is not stored. */
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

  /** Number of stored entries, including expired ones not dropped yet. */
  get size(): number {
    return this.#entries.size;
  }

  /** Checks the two least recently used entries for each added one, so that expired entries cannot accumulate. */
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

/** Upper bound; texts in Latin letters take half. */
export function textBytes(text: string): number {
  return 2 * text.length;
}
