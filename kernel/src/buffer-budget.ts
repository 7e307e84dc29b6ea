import { AppError } from "./app-error.ts";

export interface BufferBudgetOptions {
  /** Maximum bytes of all bodies in the process together. Default 256 MiB. */
  readonly totalBytes: number;
  /** The part of these that bodies of callers without a proven identity may take. Default: half of them. */
  readonly unprovenBytes?: number;
}

/**
 * Limits the memory for bodies that a listener must hold before it can judge them, over all transports of a process. Callers
 * without a proven identity get only a part of it, so that they cannot keep out proven callers.
 */
export class BufferBudget {
  readonly #totalBytes: number;
  readonly #unprovenBytes: number;
  #used = 0;
  #unproven = 0;

  constructor({ totalBytes, unprovenBytes = totalBytes / 2 }: BufferBudgetOptions) {
    this.#totalBytes = totalBytes;
    this.#unprovenBytes = unprovenBytes;
  }

  /** Bytes held now. */
  get usedBytes(): number {
    return this.#used;
  }

  /** Returns the lease of one request or stream, which holds nothing yet. The owner must release it. */
  lease(): BufferLease {
    return new BufferLease((bytes, isProven) => this.#change(bytes, isProven));
  }

  #change(bytes: number, isProven: boolean): void {
    const used = this.#used + bytes;
    const unproven = this.#unproven + (isProven ? 0 : bytes);
    if (bytes > 0 && (used > this.#totalBytes || unproven > this.#unprovenBytes)) {
      throw new AppError("RATE_LIMIT_EXCEEDED", "the server has too many request bodies in memory; retry later", {
        details: { reason: "buffers_full", retry_after: 1 },
      });
    }
    this.#used = used;
    this.#unproven = unproven;
  }
}

/** The bytes of a {@link BufferBudget} that one request or stream holds. */
export class BufferLease {
  readonly #change: (bytes: number, isProven: boolean) => void;
  #held = 0;
  #isProven = false;
  #isReleased = false;

  /** Called by `BufferBudget.lease`. */
  constructor(change: (bytes: number, isProven: boolean) => void) {
    this.#change = change;
  }

  /** Counts bytes before they are held. Throws RATE_LIMIT_EXCEEDED if the budget has too few left. */
  take(bytes: number): void {
    if (this.#isReleased) throw new Error("the buffer lease is already released");
    this.#change(bytes, this.#isProven);
    this.#held += bytes;
  }

  giveBack(bytes: number): void {
    const held = Math.min(bytes, this.#held);
    this.#held -= held;
    this.#change(-held, this.#isProven);
  }

  /** Marks the caller's identity as proven: its bytes no longer count against the unproven part. */
  prove(): void {
    if (this.#isProven) return;
    this.#change(-this.#held, false);
    this.#isProven = true;
    // This never exceeds the budget: the same bytes were held before.
    this.#change(this.#held, true);
  }

  /** Returns all bytes to the budget. Later calls do nothing. */
  release(): void {
    if (this.#isReleased) return;
    this.giveBack(this.#held);
    this.#isReleased = true;
  }
}
