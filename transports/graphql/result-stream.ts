/**
 * Maps a stream. Unlike a generator, whose `return` waits for the pending `next`, `return` calls the source at once, so that a
 * silent subscription ends when its client disconnects.
 */
export class ResultStream<T, R> implements AsyncIterableIterator<R> {
  readonly #source: AsyncIterator<T>;
  readonly #map: (value: T) => R;
  readonly #onEnd: (error?: unknown) => void;
  readonly #lastOf: (error: unknown) => R | undefined;
  #ended = false;
  #last: R | undefined;

  /**
   * `onEnd` is called once, with the error if one ended the stream. `lastOf` converts such an error to the last result; if it
   * returns undefined, `next` rejects with the error.
   */
  constructor(
    source: AsyncIterable<T>,
    map: (value: T) => R,
    onEnd: (error?: unknown) => void = () => {},
    lastOf: (error: unknown) => R | undefined = () => undefined,
  ) {
    this.#source = source[Symbol.asyncIterator]();
    this.#map = map;
    this.#onEnd = onEnd;
    this.#lastOf = lastOf;
  }

  async next(): Promise<IteratorResult<R>> {
    if (this.#ended) return { value: undefined, done: true };
    try {
      const result = await this.#source.next();
      if (this.#last !== undefined) return await this.#giveLast(this.#last);
      if (!result.done) return { value: this.#map(result.value), done: false };
      this.#end();
      return { value: undefined, done: true };
    } catch (error) {
      // A source may fail because it is ended while it waits. The error is not needed any more.
      if (this.#ended) return { value: undefined, done: true };
      this.#end(error);
      const last = this.#lastOf(error);
      if (last === undefined) throw error;
      return { value: last, done: false };
    }
  }

  async return(): Promise<IteratorResult<R>> {
    this.#end();
    await this.#source.return?.();
    return { value: undefined, done: true };
  }

  /** Makes `last` the last result, whatever the source yields. The caller ends the source if it waits. */
  finish(last: R): void {
    if (!this.#ended) this.#last = last;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #giveLast(last: R): Promise<IteratorResult<R>> {
    this.#last = undefined;
    this.#end();
    await this.#source.return?.();
    return { value: last, done: false };
  }

  #end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd(error);
  }
}
