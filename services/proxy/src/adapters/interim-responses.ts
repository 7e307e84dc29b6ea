import type { Socket } from "node:net";

/** Longest interim response that is waited for: beyond it the upstream speaks no proper HTTP. */
const maxBytes = 16_384;
/** `HTTP/1.1 1xx` but 101, which ends HTTP on the connection. */
const interim = /^HTTP\/1\.[01] 1(?!01)\d\d(?: |\r|\n)/;
const shortest = "HTTP/1.1 100 ".length;
const none = Buffer.alloc(0);

/**
 * Takes interim responses (1xx) out of what an upstream sends before a response, one connection at a time. A client must be able
 * to parse 100 that it did not ask for (RFC 9110 §15.2), and undici ends the connection instead; what the others say is between
 * the upstream and the proxy, too.
 */
export class InterimResponses {
  #isExpectingHead = false;
  #held: Buffer = none;

  /** A request begins: what is read next is the beginning of its response. */
  expectHead(): void {
    this.#isExpectingHead = true;
    this.#held = none;
  }

  /** Filters what is read from the connection. undici reads its sockets by `read` alone. */
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

  /** What is no interim response; undefined while there is nothing but such a one, whole or in part. */
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
