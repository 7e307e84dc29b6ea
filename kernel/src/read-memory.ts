/** What a socket reads into next: the memory of all sockets, its own, or another own one because what it has read is kept. */
export type ReadTarget = "shared" | "own" | "another";

/** A socket that reads at least so much more of a body gets memory of its own: nothing of it is copied. */
const largeBytes = 65_536;

/** What sockets read into, because each passes its bytes on before the next one reads. */
const shared = Buffer.allocUnsafeSlow(64 * 1024);
const ownBytes = 256 * 1024;
/** A smaller part of the own memory is copied if its reader keeps it: few bytes must not hold much memory. */
const keptBytes = ownBytes / 4;

/** `bytesToCome`: of the body that the socket reads. `isKept`: whether the reader keeps what was read last. */
export function readTarget(bytesToCome: number, isKept: boolean): ReadTarget {
  if (bytesToCome < largeBytes) return "shared";
  return isKept ? "another" : "own";
}

/** The memory that one socket reads into. Nothing is allocated for a read that is not kept. */
export class ReadMemory {
  #own: Buffer | undefined;

  /** What the next read goes into. */
  get buffer(): Buffer {
    return this.#own ?? shared;
  }

  /** Returns whether the first `count` bytes, which were read into `buffer`, may be kept: if so, `use("another")` must follow. */
  mayKeep(count: number): boolean {
    return this.#own !== undefined && count >= keptBytes;
  }

  use(target: ReadTarget): void {
    if (target === "shared") this.#own = undefined;
    else if (target === "another" || !this.#own) this.#own = Buffer.allocUnsafeSlow(ownBytes);
  }
}
