import { createWritableIterable } from "@connectrpc/connect/protocol";

/** Messages for a stream. Any caller may send at any time. The writer of the stream reads them once. */
export class Outgoing<T> implements AsyncIterable<T> {
  readonly #messages = createWritableIterable<T>();

  /** Sends a message, unless the stream has ended. */
  send(message: T): void {
    // Resolves when the message was read, and rejects after the end.
    this.#messages.write(message).catch(() => {});
  }

  /** Ends the stream. Messages sent before are still delivered. */
  end(): void {
    this.#messages.close();
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return this.#messages[Symbol.asyncIterator]();
  }
}
