/** Limits of a cache. */
export interface DocumentCacheLimits {
  /** Estimated bytes in total. */
  readonly bytes: number;
  /** Estimated bytes of all entries that one owner has added. */
  readonly bytesPerOwner: number;
}

interface Entry<V> {
  readonly key: string;
  readonly value: V;
  readonly owner: string;
  bytes: number;
}

/**
 * Keeps the most recently used entries within a number of bytes. Every caller can use every entry, but an entry counts against
 * the caller that added it. A caller with endless documents therefore evicts only its own.
 */
export class DocumentCache<V> {
  readonly #limits: DocumentCacheLimits;
  /** Least recently used first: a Map iterates in order of insertion. */
  readonly #entries = new Map<string, Entry<V>>();
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  constructor(limits: DocumentCacheLimits) {
    this.#limits = limits;
  }

  /** Estimated bytes of all entries. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V, owner: string, bytes: number): void {
    this.#delete(key);
    const entry = { key, value, owner, bytes: 0 };
    this.#entries.set(key, entry);
    this.#charge(entry, bytes);
    this.#shrink(owner);
  }

  /**
   * Adds bytes to an entry, and evicts entries if necessary, possibly this one. Returns false if the entry is not in the cache
   * any more.
   */
  grow(key: string, bytes: number): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return false;
    this.#charge(entry, bytes);
    this.#shrink(entry.owner);
    return this.#entries.has(key);
  }

  #shrink(owner: string): void {
    for (const entry of this.#entries.values()) {
      if ((this.#bytesOf.get(owner) ?? 0) <= this.#limits.bytesPerOwner) break;
      if (entry.owner === owner) this.#delete(entry.key);
    }
    for (const { key } of this.#entries.values()) {
      if (this.#bytes <= this.#limits.bytes) break;
      this.#delete(key);
    }
  }

  #charge(entry: Entry<V>, bytes: number): void {
    entry.bytes += bytes;
    this.#bytes += bytes;
    const left = (this.#bytesOf.get(entry.owner) ?? 0) + bytes;
    if (left > 0) this.#bytesOf.set(entry.owner, left);
    else this.#bytesOf.delete(entry.owner);
  }

  #delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#charge(entry, -entry.bytes);
  }
}
