import type { BufferLease } from "./buffer-budget.ts";

const smallestBlock = 4_096;
const largestBlock = 1_048_576;

/**
 * Collects a body in its own blocks. The lease counts each block before it is allocated. Pieces are copied, because a piece of
 * one byte could otherwise keep a whole network buffer in memory.
 */
export class BodyBuffer {
  readonly #lease: BufferLease;
  #blocks: Uint8Array[] = [];
  /** Used bytes of the last block. */
  #filled = 0;
  #length = 0;
  #counted = 0;

  constructor(lease: BufferLease) {
    this.#lease = lease;
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
    const next = rest.length > 0 ? this.#allocate(rest.length) : undefined;
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

  #allocate(atLeast: number): Uint8Array {
    const size = Math.max(atLeast, Math.min(largestBlock, Math.max(smallestBlock, this.#length)));
    this.#lease.take(size);
    this.#counted += size;
    return Buffer.allocUnsafeSlow(size);
  }
}
