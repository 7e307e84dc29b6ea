import type { Socket } from "node:net";

/** Maximum size of an interim response. An upstream that sends more does not speak valid HTTP. */
const maxBytes = 16_384;
/** `HTTP/1.1 1xx` except 101, which ends HTTP on the connection. */
const interim = /^HTTP\/1\.[01] 1(?!01)\d\d(?: |\r|\n)/;
const shortest = "HTTP/1.1 100 ".length;
const none = Buffer.alloc(0);

/**
 * Removes interim responses (1xx) that an upstream sends before a response, on one connection. A client must be able to parse a
 * 100 that it did not request (RFC 9110 §15.2), but undici ends the connection instead. The other interim responses also
 * concern only the upstream and the platform.
 */
export class InterimResponses {
  #isExpectingHead = false;
  #held: Buffer = none;

  /** Called when a request begins: the next bytes are the beginning of its response. */
  expectHead(): void {
    this.#isExpectingHead = true;
    this.#held = none;
  }

  /** Filters the data that is read from the connection. undici reads its sockets only with `read`. */
  watch(socket: Socket): void {
    const read = socket.read.bind(socket);
    socket.read = (size?: number): Buffer | null => {
      for (;;) {
        const chunk = read(size) as Buffer | null;
        if (chunk === null || !this.#isExpectingHead) return chunk;
        const kept = this.#take(chunk);
        if (kept) return kept;
      }
    };
  }

  /** Returns the data without interim responses. Undefined while there is only a complete or partial interim response. */
  #take(chunk: Buffer): Buffer | undefined {
    let data = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    for (;;) {
      const start = data.toString("latin1", 0, shortest);
      if (start.length < shortest && "HTTP/1.".startsWith(start.slice(0, 7))) return this.#hold(data);
      if (!interim.test(start)) break;
      const end = data.indexOf("\r\n\r\n");
      if (end < 0) return this.#hold(data);
      data = data.subarray(end + 4);
      if (data.length === 0) return this.#hold(data);
    }
    this.#isExpectingHead = false;
    this.#held = none;
    return data;
  }

  #hold(data: Buffer): Buffer | undefined {
    if (data.length > maxBytes) {
      this.#isExpectingHead = false;
      this.#held = none;
      return data;
    }
    this.#held = data;
    return undefined;
  }
}
