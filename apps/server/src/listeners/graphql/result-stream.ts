/**
 * Maps a stream without the trap of a generator, whose `return` waits for the `next` under way: here `return` reaches the
 * source at once, so that a silent subscription ends when its client leaves.
 */
export class ResultStream<T, R> implements AsyncIterableIterator<R> {
  readonly #source: AsyncIterator<T>;
  readonly #map: (value: T) => R;
  readonly #onEnd: (error?: unknown) => void;
  #ended = false;

  /** `onEnd` is called once: with the error that ended the stream, if one did. */
  constructor(source: AsyncIterable<T>, map: (value: T) => R, onEnd: (error?: unknown) => void = () => {}) {
    this.#source = source[Symbol.asyncIterator]();
    this.#map = map;
    this.#onEnd = onEnd;
  }

  async next(): Promise<IteratorResult<R>> {
    try {
      const result = await this.#source.next();
      if (!result.done) return { value: this.#map(result.value), done: false };
      this.#end();
      return { value: undefined, done: true };
    } catch (error) {
      this.#end(error);
      throw error;
    }
  }

  async return(): Promise<IteratorResult<R>> {
    this.#end();
    await this.#source.return?.();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd(error);
  }
}
