/** What a cache may keep. */
export interface DocumentCacheLimits {
  /** Estimated bytes in all. */
  readonly bytes: number;
  /** Estimated bytes that one owner may have put in. */
  readonly bytesPerOwner: number;
}

interface Entry<V> {
  readonly key: string;
  readonly value: V;
  readonly owner: string;
  bytes: number;
}

/**
 * Keeps the entries used last, within a number of bytes. Every caller may use every entry, but an entry counts against the
 * caller who brought it: a caller with endless documents of its own pushes out its own only.
 */
export class DocumentCache<V> {
  readonly #limits: DocumentCacheLimits;
  /** A Map iterates in order of insertion: the oldest use is first. */
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

  /** The entry needs this many more bytes; it may be the one that has to go. False if it is not kept. */
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
