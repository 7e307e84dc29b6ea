import { AppError } from "./app-error.ts";
import { clientNetwork } from "./client-network.ts";

export interface BufferBudgetOptions {
  /** Maximum bytes of all bodies in the process together. Default 256 MiB. */
  readonly totalBytes: number;
  /** The part of these that bodies of callers without a proven identity may take. Default: half of them. */
  readonly unprovenBytes?: number;
}

/** The part of the budget that the signed requests of one app may take. */
const shareOfOneApp = 1 / 4;
/** The part of what unproven callers may take that one client may take. */
const shareOfOneClient = 1 / 4;

/** For whom bytes are held. */
interface Holder {
  readonly isProven: boolean;
  readonly app: string | undefined;
  readonly client: string | undefined;
}

/**
 * Limits the memory for bodies that a listener must hold before it can judge them, over all transports of a process. Callers
 * without a proven identity get only a part of it, so that they cannot keep out proven callers, and so does each app and each
 * client, so that it cannot keep out others.
 */
export class BufferBudget {
  readonly #totalBytes: number;
  readonly #unprovenBytes: number;
  #used = 0;
  #unproven = 0;
  readonly #ofApps = new Map<string, number>();
  readonly #ofClients = new Map<string, number>();

  constructor({ totalBytes, unprovenBytes = totalBytes / 2 }: BufferBudgetOptions) {
    this.#totalBytes = totalBytes;
    this.#unprovenBytes = unprovenBytes;
  }

  /** Bytes held now. */
  get usedBytes(): number {
    return this.#used;
  }

  /**
   * Returns the lease of one request or stream, which holds nothing yet. The owner must release it. `remoteAddress` is that of its
   * client, if it is known.
   */
  lease(remoteAddress?: string): BufferLease {
    return new BufferLease(this.#change, remoteAddress);
  }

  readonly #change = (bytes: number, { isProven, app, client }: Holder): void => {
    const used = this.#used + bytes;
    const unproven = this.#unproven + (isProven ? 0 : bytes);
    const ofApp = held(this.#ofApps, app) + bytes;
    // Only the holder of an app's key makes signatures in its name, so that its share is enough.
    const stranger = isProven || app !== undefined ? undefined : client;
    const ofClient = held(this.#ofClients, stranger) + bytes;
    const isShareFull =
      (app !== undefined && ofApp > this.#totalBytes * shareOfOneApp) ||
      (stranger !== undefined && ofClient > this.#unprovenBytes * shareOfOneClient);
    if (bytes > 0 && (used > this.#totalBytes || unproven > this.#unprovenBytes || isShareFull)) {
      throw new AppError("RATE_LIMIT_EXCEEDED", "the server has too many request bodies in memory; retry later", {
        details: { reason: "buffers_full", retry_after: 1 },
      });
    }
    this.#used = used;
    this.#unproven = unproven;
    hold(this.#ofApps, app, ofApp);
    hold(this.#ofClients, stranger, ofClient);
  };
}

function held(shares: ReadonlyMap<string, number>, name: string | undefined): number {
  return name === undefined ? 0 : (shares.get(name) ?? 0);
}

function hold(shares: Map<string, number>, name: string | undefined, bytes: number): void {
  if (name === undefined) return;
  if (bytes > 0) shares.set(name, bytes);
  else shares.delete(name);
}

/** The bytes of a {@link BufferBudget} that one request or stream holds. Most hold none, and cost nothing. */
export class BufferLease {
  readonly #change: (bytes: number, holder: Holder) => void;
  readonly #remoteAddress: string | undefined;
  #client: string | undefined;
  #app: string | undefined;
  #held = 0;
  #isProven = false;
  #isReleased = false;

  /** Called by `BufferBudget.lease`. */
  constructor(change: (bytes: number, holder: Holder) => void, remoteAddress: string | undefined) {
    this.#change = change;
    this.#remoteAddress = remoteAddress;
  }

  /** Makes the bytes count in the share of the app whose key signed the request. Called before any are held. */
  countFor(app: string): void {
    this.#app = app;
  }

  /** Counts bytes before they are held. Throws RATE_LIMIT_EXCEEDED if the budget has too few left. */
  take(bytes: number): void {
    if (this.#isReleased) throw new Error("the buffer lease is already released");
    this.#count(bytes);
    this.#held += bytes;
  }

  giveBack(bytes: number): void {
    const held = Math.min(bytes, this.#held);
    this.#held -= held;
    this.#count(-held);
  }

  /** Marks the caller's identity as proven: its bytes no longer count against the unproven part. */
  prove(): void {
    if (this.#isProven) return;
    this.#count(-this.#held);
    this.#isProven = true;
    // This never exceeds the budget: the same bytes were held before.
    this.#count(this.#held);
  }

  /** Returns all bytes to the budget. Later calls do nothing. */
  release(): void {
    if (this.#isReleased) return;
    this.giveBack(this.#held);
    this.#isReleased = true;
  }

  #count(bytes: number): void {
    if (bytes === 0) return;
    this.#client ??= this.#remoteAddress === undefined ? undefined : clientNetwork(this.#remoteAddress);
    this.#change(bytes, { isProven: this.#isProven, app: this.#app, client: this.#client });
  }
}
