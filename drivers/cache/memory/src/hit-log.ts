/** The times of the newest hits, in a ring that grows up to a capacity. Older hits are dropped. */
export class HitLog {
  #moments: Float64Array;
  #capacity: number;
  /** Position of the next hit. */
  #next = 0;
  #count = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#moments = new Float64Array(Math.min(capacity, 8));
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#moments.byteLength;
  }

  /** Returns the time of the nth newest hit, from 1 to `count`. */
  newest(nth: number): number {
    const size = this.#moments.length;
    return this.#moments[(this.#next - nth + size) % size] ?? 0;
  }

  /** Counts the hits after a time. */
  countAfter(moment: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.newest(middle) > moment) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Ensures capacity for at least this many hits. */
  reserve(capacity: number): void {
    this.#capacity = Math.max(this.#capacity, capacity);
  }

  /** Adds a hit. Times must not decrease. */
  add(moment: number): void {
    if (this.#count === this.#moments.length && this.#count < this.#capacity) this.#grow();
    this.#moments[this.#next] = moment;
    this.#next = (this.#next + 1) % this.#moments.length;
    this.#count = Math.min(this.#count + 1, this.#moments.length);
  }

  #grow(): void {
    const grown = new Float64Array(Math.min(this.#capacity, this.#moments.length * 2));
    for (let nth = 1; nth <= this.#count; nth += 1) grown[this.#count - nth] = this.newest(nth);
    this.#moments = grown;
    this.#next = this.#count;
  }
}
