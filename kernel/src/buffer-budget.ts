import { AppError } from "./app-error.ts";

export interface BufferBudgetOptions {
  /** Bytes that all bodies of the process may take together. Default 256 MiB. */
  readonly totalBytes?: number;
  /** Of these, what bodies of callers may take that proved nothing yet. Default: half of them. */
  readonly unprovenBytes?: number;
}

/**
 * Memory for bodies that a listener must hold before it can judge them, over all transports of a process. Strangers get a part
 * of it only, so that they cannot keep out callers who proved who they are.
 */
export class BufferBudget {
  readonly #totalBytes: number;
  readonly #unprovenBytes: number;
  #used = 0;
  #unproven = 0;

  constructor({ totalBytes = 256 * 1024 * 1024, unprovenBytes = totalBytes / 2 }: BufferBudgetOptions = {}) {
    this.#totalBytes = totalBytes;
    this.#unprovenBytes = unprovenBytes;
  }

  /** Bytes that are held now. */
  get usedBytes(): number {
    return this.#used;
  }

  /** The part of one request or stream; nothing is held yet. The owner must release it. */
  lease(): BufferLease {
    return new BufferLease((bytes, isProven) => this.#change(bytes, isProven));
  }

  #change(bytes: number, isProven: boolean): void {
    const used = this.#used + bytes;
    const unproven = this.#unproven + (isProven ? 0 : bytes);
    if (bytes > 0 && (used > this.#totalBytes || unproven > this.#unprovenBytes)) {
      throw new AppError("RATE_LIMIT_EXCEEDED", "the server holds too many request bodies at the moment; try again", {
        details: { reason: "buffers_full", retry_after: 1 },
      });
    }
    this.#used = used;
    this.#unproven = unproven;
  }
}

/** What one request or stream holds of a {@link BufferBudget}. */
export class BufferLease {
  readonly #change: (bytes: number, isProven: boolean) => void;
  #held = 0;
  #isProven = false;
  #isReleased = false;

  /** Made by `BufferBudget.lease`. */
  constructor(change: (bytes: number, isProven: boolean) => void) {
    this.#change = change;
  }

  /** Counts bytes before they are held. Throws RATE_LIMIT_EXCEEDED if the budget has too few left. */
  take(bytes: number): void {
    if (this.#isReleased) throw new Error("bytes were taken from a released buffer lease");
    this.#change(bytes, this.#isProven);
    this.#held += bytes;
  }

  giveBack(bytes: number): void {
    const held = Math.min(bytes, this.#held);
    this.#held -= held;
    this.#change(-held, this.#isProven);
  }

  /** The caller proved who it is: what it holds no longer counts as a stranger's. */
  prove(): void {
    if (this.#isProven) return;
    this.#change(-this.#held, false);
    this.#isProven = true;
    // Never too much: the same bytes were held a moment ago.
    this.#change(this.#held, true);
  }

  /** Gives everything back; later calls do nothing. */
  release(): void {
    if (this.#isReleased) return;
    this.giveBack(this.#held);
    this.#isReleased = true;
  }
}
