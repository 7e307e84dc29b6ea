import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Opened at the same time. */
const openedAtOnce = 100;

/** Many HTTP/1.1 connections to one path, without a client library: this process holds as many of them as the server. */
export class ManyConnections {
  readonly #sockets: Socket[] = [];
  readonly #url: URL;
  /** Connections that ended, and responses other than 200. */
  errors = 0;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Opens them, a few at a time. Each has had a response when this resolves. */
  async open(count: number): Promise<void> {
    for (let opened = 0; opened < count; opened += openedAtOnce) {
      await Promise.all(Array.from({ length: Math.min(openedAtOnce, count - opened) }, () => this.#open()));
    }
  }

  /** Sends a request on each, a few at a time. Returns the times, ms. */
  async sendOnEach(): Promise<readonly number[]> {
    const times: number[] = [];
    for (let first = 0; first < this.#sockets.length; first += openedAtOnce) {
      const some = this.#sockets.slice(first, first + openedAtOnce);
      times.push(...(await Promise.all(some.map((socket) => this.#send(socket)))));
    }
    return times;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.removeAllListeners("close").destroy();
    await new Promise((resolve) => setImmediate(resolve));
  }

  async #open(): Promise<void> {
    const socket = connect(Number(this.#url.port), this.#url.hostname);
    await once(socket, "connect");
    socket.on("error", () => {});
    socket.once("close", () => (this.errors += 1));
    this.#sockets.push(socket);
    await this.#send(socket);
  }

  async #send(socket: Socket): Promise<number> {
    const startedAt = performance.now();
    // Its end was counted.
    if (socket.destroyed) return 0;
    socket.write(`GET ${this.#url.pathname} HTTP/1.1\r\nHost: ${this.#url.host}\r\n\r\n`);
    const ended = Promise.withResolvers<void>();
    let text = "";
    const onData = (chunk: Buffer): void => {
      text += chunk.toString("latin1");
      // The backend of all gateways returns JSON with one object.
      if (text.endsWith("}") || text.endsWith("\r\n0\r\n\r\n")) ended.resolve();
    };
    socket.on("data", onData);
    socket.once("close", ended.resolve);
    await ended.promise;
    socket.off("data", onData).off("close", ended.resolve);
    if (!text.startsWith("HTTP/1.1 200")) this.errors += 1;
    return performance.now() - startedAt;
  }
}
