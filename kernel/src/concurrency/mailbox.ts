/** A queue between a producer and one consumer, which iterates over it. */
export class Mailbox<T> implements AsyncIterableIterator<T> {
  readonly #capacity: number;
  readonly #items: T[] = [];
  readonly #readers: PromiseWithResolvers<IteratorResult<T>>[] = [];
  #isClosed = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(capacity: number = Number.POSITIVE_INFINITY) {
    this.#capacity = capacity;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Returns false if the mailbox is full. A closed mailbox discards the item. */
  push(item: T): boolean {
    if (this.#isClosed) return true;
    const reader = this.#readers.shift();
    if (reader) reader.resolve({ value: item, done: false });
    else if (this.#items.length >= this.#capacity) return false;
    else this.#items.push(item);
    return true;
  }

  /** Ends the iteration after the waiting items; with an error, by rejecting with it once. Only the first call counts. */
  close(error?: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (error !== undefined) this.#failure = { error };
    for (const reader of this.#readers.splice(0)) reader.resolve(this.next());
  }

  /** Discards the waiting items, and an error that was not read yet. */
  clear(): void {
    this.#items.length = 0;
    this.#failure = undefined;
  }

  async next(): Promise<IteratorResult<T>> {
    if (this.#items.length > 0) return { value: this.#items.shift() as T, done: false };
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
    if (this.#isClosed) return { value: undefined, done: true };
    const reader = Promise.withResolvers<IteratorResult<T>>();
    this.#readers.push(reader);
    return reader.promise;
  }

  /** Ends the iteration at once, also while `next` waits. */
  async return(): Promise<IteratorResult<T>> {
    this.clear();
    this.close();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
