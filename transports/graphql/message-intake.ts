import type { WebSocket } from "ws";

/**
 * Passes a socket's messages to `handle`, at most `limit` at the same time. While messages wait, the socket is not read, so
 * that a client that sends too fast is slowed down. Drops messages of a socket that is closing.
 */
export class MessageIntake {
  readonly #socket: WebSocket;
  readonly #limit: number;
  readonly #handle: (text: string) => Promise<void>;
  #waiting: string[] = [];
  #running = 0;
  #lasting = 0;

  /** `handle` never rejects. */
  constructor(socket: WebSocket, limit: number, handle: (text: string) => Promise<void>) {
    this.#socket = socket;
    this.#limit = limit;
    this.#handle = handle;
    socket.on("message", (data) => {
      this.#waiting.push(String(data));
      this.#next();
    });
  }

  /** Excludes a long-running message (an open subscription) from the count. `change`: 1 when it opens, -1 when it ends. */
  lasting(change: 1 | -1): void {
    this.#lasting += change;
    this.#next();
  }

  #next(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) this.#waiting = [];
    while (this.#waiting.length > 0 && this.#running - this.#lasting < this.#limit) {
      const text = this.#waiting.shift() ?? "";
      this.#running += 1;
      void this.#handle(text).finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
    if (this.#waiting.length > 0) this.#socket.pause();
    else if (this.#socket.isPaused) this.#socket.resume();
  }
}
