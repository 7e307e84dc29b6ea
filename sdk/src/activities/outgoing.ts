/** Messages on their way out of a stream: sent by anybody at any time, read by the one who writes the stream. */
export class Outgoing<T> implements AsyncIterable<T> {
  readonly #messages: T[] = [];
  #wake: () => void = () => {};
  #isOver = false;

  send(message: T): void {
    if (this.#isOver) return;
    this.#messages.push(message);
    this.#wake();
  }

  /** What was sent before still goes out. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) {
        yield message;
      } else if (this.#isOver) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
