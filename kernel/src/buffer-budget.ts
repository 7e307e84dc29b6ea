import { AppError } from "./app-error.ts";

export interface BufferBudgetOptions {
  /** Maximum bytes of all bodies in the process together. Default 256 MiB. */
  readonly totalBytes: number;
  /** The part of these that bodies of callers without a proven identity may take. Default: half of them. */
  readonly unprovenBytes?: number;
}

/** The part of the budget that the signed requests of one app may take. */
const shareOfOneApp = 1 / 4;

/**
 * Limits the memory for bodies that a listener must hold before it can judge them, over all transports of a process. Callers
 * without a proven identity get only a part of it, so that they cannot keep out proven callers, and so does each app, so that it
 * cannot keep out others.
 */
export class BufferBudget {
  readonly #totalBytes: number;
  readonly #unprovenBytes: number;
  #used = 0;
  #unproven = 0;
  readonly #ofApps = new Map<string, number>();

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
    return new BufferLease((bytes, isProven, app) => this.#change(bytes, isProven, app));
  }

  #change(bytes: number, isProven: boolean, app: string | undefined): void {
    const used = this.#used + bytes;
    const unproven = this.#unproven + (isProven ? 0 : bytes);
    const ofApp = app === undefined ? 0 : (this.#ofApps.get(app) ?? 0) + bytes;
    const isShareFull = ofApp > this.#totalBytes * shareOfOneApp;
    if (bytes > 0 && (used > this.#totalBytes || unproven > this.#unprovenBytes || isShareFull)) {
      throw new AppError("RATE_LIMIT_EXCEEDED", "the server has too many request bodies in memory; retry later", {
        details: { reason: "buffers_full", retry_after: 1 },
      });
    }
    this.#used = used;
    this.#unproven = unproven;
    if (app === undefined) return;
    if (ofApp > 0) this.#ofApps.set(app, ofApp);
    else this.#ofApps.delete(app);
  }
}

/** The bytes of a {@link BufferBudget} that one request or stream holds. */
export class BufferLease {
  readonly #change: (bytes: number, isProven: boolean, app: string | undefined) => void;
  #app: string | undefined;
  #held = 0;
  #isProven = false;
  #isReleased = false;

  /** Called by `BufferBudget.lease`. */
  constructor(change: (bytes: number, isProven: boolean, app: string | undefined) => void) {
    this.#change = change;
  }

  /** Makes the bytes count in the share of the app whose key signed the request. Called before any are held. */
  countFor(app: string): void {
    this.#app = app;
  }

  /** Counts bytes before they are held. Throws RATE_LIMIT_EXCEEDED if the budget has too few left. */
  take(bytes: number): void {
    if (this.#isReleased) throw new Error("the buffer lease is already released");
    this.#change(bytes, this.#isProven, this.#app);
    this.#held += bytes;
  }

  giveBack(bytes: number): void {
    const held = Math.min(bytes, this.#held);
    this.#held -= held;
    this.#change(-held, this.#isProven, this.#app);
  }

  /** Marks the caller's identity as proven: its bytes no longer count against the unproven part. */
  prove(): void {
    if (this.#isProven) return;
    this.#change(-this.#held, false, this.#app);
    this.#isProven = true;
    // This never exceeds the budget: the same bytes were held before.
    this.#change(this.#held, true, this.#app);
  }

  /** Returns all bytes to the budget. Later calls do nothing. */
  release(): void {
    if (this.#isReleased) return;
    this.giveBack(this.#held);
    this.#isReleased = true;
  }
}
