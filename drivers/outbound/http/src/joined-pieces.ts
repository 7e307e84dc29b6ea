/** Joins pieces of one buffer. A single piece is not copied. */
export class JoinedPieces {
  /** The only piece, or a buffer that begins with all of them. */
  #bytes: Buffer | undefined;
  #length = 0;
  #isCopy = false;

  /** All pieces until the next {@link take} must be of the same buffer, without overlap. */
  add(source: Buffer, start: number, end: number): void {
    if (this.#bytes === undefined) {
      this.#bytes = source.subarray(start, end);
      this.#length = end - start;
      return;
    }
    if (!this.#isCopy) {
      const joined = Buffer.allocUnsafe(source.length);
      this.#bytes.copy(joined);
      this.#bytes = joined;
      this.#isCopy = true;
    }
    this.#length += source.copy(this.#bytes, this.#length, start, end);
  }

  /** Returns the pieces since the last call as one. Undefined if there are none. */
  take(): Buffer | undefined {
    const bytes = this.#bytes;
    if (bytes === undefined) return undefined;
    const joined = this.#isCopy ? bytes.subarray(0, this.#length) : bytes;
    this.#bytes = undefined;
    this.#isCopy = false;
    return joined;
  }
}
