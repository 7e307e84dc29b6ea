/** Memory of a mark in addition to its key, an upper estimate: map entry, object and numbers. */
const overheadBytes = 112;

/** The part of the store that one owner may fill. */
const shareOfOwner = 1 / 4;

interface Mark {
  /** On the monotonic clock, in milliseconds. The mark is expired from this time on. */
  readonly expiresAt: number;
  readonly owner: string;
}

/** Stores keys for their full lifetime: a full store refuses new keys and drops none. */
export class MarkStore {
  readonly #maxBytes: number;
  /** In insertion order. */
  readonly #marks = new Map<string, Mark>();
  readonly #bytesByOwner = new Map<string, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  has(key: string, now: number): boolean {
    const mark = this.#marks.get(key);
    if (!mark) return false;
    if (mark.expiresAt > now) return true;
    this.#drop(key, mark);
    return false;
  }

  /** Adds a key. Returns false, without adding it, if there is no room. */
  add(key: string, expiresAt: number, owner: string, now: number): boolean {
    // Checks two marks for each added one, so that expired marks cannot accumulate. A full store checks more before it refuses.
    this.#dropExpired(now, this.#hasRoom(key, owner) ? 2 : sweepWhenFull);
    if (!this.#hasRoom(key, owner)) return false;
    this.#marks.set(key, { expiresAt, owner });
    this.#charge(owner, bytesOf(key));
    return true;
  }

  delete(key: string): void {
    const mark = this.#marks.get(key);
    if (mark) this.#drop(key, mark);
  }

  get size(): number {
    return this.#marks.size;
  }

  #hasRoom(key: string, owner: string): boolean {
    const bytes = bytesOf(key);
    const ofOwner = (this.#bytesByOwner.get(owner) ?? 0) + bytes;
    return this.#bytes + bytes <= this.#maxBytes && ofOwner <= this.#maxBytes * shareOfOwner;
  }

  /** Drops expired marks from the oldest on, at most `limit`, up to the first unexpired one. */
  #dropExpired(now: number, limit: number): void {
    let dropped = 0;
    for (const [key, mark] of this.#marks) {
      if (mark.expiresAt > now || dropped === limit) return;
      this.#drop(key, mark);
      dropped += 1;
    }
  }

  #drop(key: string, mark: Mark): void {
    this.#marks.delete(key);
    this.#charge(mark.owner, -bytesOf(key));
  }

  #charge(owner: string, bytes: number): void {
    this.#bytes += bytes;
    const ofOwner = (this.#bytesByOwner.get(owner) ?? 0) + bytes;
    if (ofOwner > 0) this.#bytesByOwner.set(owner, ofOwner);
    else this.#bytesByOwner.delete(owner);
  }
}

/** Limits the duration of a single call. */
const sweepWhenFull = 1_000;

/** Keys are Latin letters: one byte each. */
function bytesOf(key: string): number {
  return overheadBytes + key.length;
}
