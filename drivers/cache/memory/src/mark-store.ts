/** What a mark costs beyond its key: map entry, object and numbers, generously. */
const overheadBytes = 112;

/** Part of the store that one owner may fill. */
const shareOfOwner = 1 / 4;

interface Mark {
  /** On the monotonic clock, in milliseconds. From this moment on the mark is gone. */
  readonly expiresAt: number;
  readonly owner: string;
}

/** Keys that stay for as long as they were asked to: a store that is full refuses new ones, and drops none. */
export class MarkStore {
  readonly #maxBytes: number;
  /** In the order in which they were added. */
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

  /** False when there is no room; the key is not in the store. */
  add(key: string, expiresAt: number, owner: string, now: number): boolean {
    // Two for each that is added: expired marks cannot pile up. A full store looks for more before it refuses.
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

  /** From the oldest on, at most `limit`, up to the first that lives. */
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

/** A bound, so that no single call takes long. */
const sweepWhenFull = 1_000;

/** Keys are of Latin letters: a byte each. */
function bytesOf(key: string): number {
  return overheadBytes + key.length;
}
