/** How far back calls are counted. */
export const windowMs = 30_000;
const bucketMs = 3_000;
const buckets = windowMs / bucketMs;

/** Counts the calls of the last 30 s. */
export class RecentCalls {
  readonly #calls = new Uint32Array(buckets);
  readonly #failures = new Uint32Array(buckets);
  readonly #unconnected = new Uint32Array(buckets);
  #slot = 0;

  get calls(): number {
    return sum(this.#calls);
  }

  /** Calls that failed. */
  get failures(): number {
    return sum(this.#failures);
  }

  /** Calls that failed because there was no connection. */
  get unconnected(): number {
    return sum(this.#unconnected);
  }

  add(failure: "connection" | "exchange" | undefined, nowMs: number): void {
    const slot = Math.floor(nowMs / bucketMs);
    for (let stale = Math.max(this.#slot + 1, slot - buckets + 1); stale <= slot; stale++) {
      for (const counts of [this.#calls, this.#failures, this.#unconnected]) counts[stale % buckets] = 0;
    }
    this.#slot = Math.max(this.#slot, slot);
    increment(this.#calls, this.#slot);
    if (failure !== undefined) increment(this.#failures, this.#slot);
    if (failure === "connection") increment(this.#unconnected, this.#slot);
  }

  clear(): void {
    for (const counts of [this.#calls, this.#failures, this.#unconnected]) counts.fill(0);
  }
}

function increment(counts: Uint32Array, slot: number): void {
  counts[slot % buckets] = (counts[slot % buckets] ?? 0) + 1;
}

function sum(counts: Uint32Array): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
