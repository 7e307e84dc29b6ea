import type { BufferLease } from "./buffer-budget.ts";
import type { InboundBody } from "./inbound-request.ts";

const smallestBlock = 4_096;
const largestBlock = 1_048_576;

export interface WholeBodyOptions {
  readonly maxBytes: number;
  readonly lease: BufferLease;
  /** Returns the error for a larger body. */
  readonly tooLarge: () => Error;
  /** Returns the error for a body that has ended too early, with the reason of the listener if that has ended it. */
  readonly incomplete: (reason: Error | undefined) => Error;
}

/** Reads a complete body. Rejects with the given errors and with those of the lease, and the lease then holds nothing of it. */
export function readWholeBody(
  body: InboundBody,
  { maxBytes, lease, tooLarge, incomplete }: WholeBodyOptions,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const buffer = new BodyBuffer(lease, body.length);
    const fail = (error: unknown): void => {
      body.stop();
      buffer.release();
      reject(error);
    };
    body.read({
      onData: (chunk) => {
        try {
          if (buffer.length + chunk.length > maxBytes) throw tooLarge();
          buffer.add(chunk);
        } catch (error) {
          fail(error);
        }
        return false;
      },
      onEnd: () => resolve(buffer.take()),
      onError: (reason) => fail(incomplete(reason)),
    });
  });
}

/**
 * Collects a body in its own blocks. The lease counts each block before it is allocated. Pieces are copied, because a piece of
 * one byte could otherwise keep a whole network buffer in memory.
 */
export class BodyBuffer {
  readonly #lease: BufferLease;
  /** Bytes that will come. */
  readonly #expected: number;
  #blocks: Uint8Array[] = [];
  /** Used bytes of the last block. */
  #filled = 0;
  #length = 0;
  #counted = 0;

  /** `expected`: the number of bytes that will come, if it is known. */
  constructor(lease: BufferLease, expected = Number.POSITIVE_INFINITY) {
    this.#lease = lease;
    this.#expected = expected;
  }

  /** Number of bytes collected so far. */
  get length(): number {
    return this.#length;
  }

  /** Throws RATE_LIMIT_EXCEEDED, with nothing added, if the budget has too few bytes left. */
  add(piece: Uint8Array): void {
    const last = this.#blocks.at(-1);
    const free = last ? last.length - this.#filled : 0;
    const head = piece.subarray(0, free);
    const rest = piece.subarray(free);
    const next = rest.length > 0 ? this.#allocate(rest.length, this.#expected - this.#length - head.length) : undefined;
    last?.set(head, this.#filled);
    this.#filled += head.length;
    this.#length += piece.length;
    if (!next) return;
    next.set(rest);
    this.#blocks.push(next);
    this.#filled = rest.length;
  }

  /** Returns all bytes in one piece and empties the buffer. The bytes stay counted until `release`. */
  take(): Uint8Array {
    const [only] = this.#blocks;
    const whole =
      only && this.#blocks.length === 1 ? only.subarray(0, this.#length) : Buffer.concat(this.#blocks, this.#length);
    this.#clear();
    return whole;
  }

  /** Drops the bytes and returns them to the budget. */
  release(): void {
    this.#clear();
    this.#lease.giveBack(this.#counted);
    this.#counted = 0;
  }

  #clear(): void {
    this.#blocks = [];
    this.#filled = 0;
    this.#length = 0;
  }

  #allocate(atLeast: number, atMost: number): Uint8Array {
    const size = Math.max(atLeast, Math.min(atMost, largestBlock, Math.max(smallestBlock, this.#length)));
    this.#lease.take(size);
    this.#counted += size;
    return Buffer.allocUnsafeSlow(size);
  }
}
