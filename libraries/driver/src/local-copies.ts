/** A pending read. */
export interface Flight {
  readonly value: Promise<string | undefined>;
}

interface Copy {
  readonly value: string;
  /** On the monotonic clock. */
  readonly expiresAt: number;
}

/** Memory of a copy in addition to its texts, an upper estimate. */
const overheadBytes = 160;

/**
 * Copies of values that were read, kept as long as the server reports every change. The least recently used are dropped to stay
 * within a limit of bytes.
 */
export class LocalCopies {
  readonly #maxBytes: number;
  /** In the order of use, oldest first. */
  readonly #copies = new Map<string, Copy>();
  readonly #flights = new Map<string, Flight>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string, now: number): string | undefined {
    const copy = this.#copies.get(key);
    if (!copy) return undefined;
    this.#copies.delete(key);
    if (copy.expiresAt > now) this.#copies.set(key, copy);
    else this.#bytes -= bytesOf(key, copy.value);
    return copy.expiresAt > now ? copy.value : undefined;
  }

  /** Returns the pending read of the key, so that other callers can share it. */
  flight(key: string): Flight | undefined {
    return this.#flights.get(key);
  }

  takeOff(key: string, flight: Flight): void {
    this.#flights.set(key, flight);
  }

  /**
   * Stores the value of a pending read, unless the key was forgotten in between: the notification of a change may be received
   * together with the reply and be handled before it.
   */
  land(key: string, flight: Flight, copy: { value: string; expiresAt: number } | undefined): void {
    if (this.#flights.get(key) !== flight) return;
    this.#flights.delete(key);
    if (copy) this.#keep(key, copy);
  }

  forget(key: string): void {
    this.#flights.delete(key);
    this.#drop(key);
  }

  forgetPrefix(prefix: string): void {
    for (const key of [...this.#flights.keys(), ...this.#copies.keys()]) {
      if (key.startsWith(prefix)) this.forget(key);
    }
  }

  #keep(key: string, copy: Copy): void {
    this.#drop(key);
    this.#copies.set(key, copy);
    this.#bytes += bytesOf(key, copy.value);
    for (const oldest of this.#copies.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const copy = this.#copies.get(key);
    if (!copy) return;
    this.#copies.delete(key);
    this.#bytes -= bytesOf(key, copy.value);
  }
}

function bytesOf(key: string, value: string): number {
  return overheadBytes + 2 * (key.length + value.length);
}
