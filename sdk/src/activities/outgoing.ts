/** Queue of messages for a stream. Any caller may send at any time. The writer of the stream reads the queue. */
export class Outgoing<T> implements AsyncIterable<T> {
  readonly #messages: T[] = [];
  #wake: () => void = () => {};
  #isOver = false;

  send(message: T): void {
    if (this.#isOver) return;
    this.#messages.push(message);
    this.#wake();
  }

  /** Ends the queue. Messages sent before are still delivered. */
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
