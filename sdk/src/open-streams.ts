import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** One event of an event stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export interface AppEvent {
  /** The event's type, if not `message`. */
  readonly event?: string;
  /** Sent back by a client that connects again, as `Last-Event-ID`. */
  readonly id?: string;
  /** Sent as JSON. */
  readonly data: unknown;
}

/** Takes a WebSocket handshake, for example with `handleUpgrade` of the package `ws`. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A close frame with the code 1001, "going away" (RFC 6455 §5.5.1, §7.4.1). */
const goingAway = Buffer.from([0x88, 0x02, 0x03, 0xe9]);
const closeTimeoutMs = 2_000;

/** The event streams and WebSockets of a server. They do not end by themselves, so the server ends them when it stops. */
export class OpenStreams {
  readonly #endings = new Set<() => void>();
  #isStopped = false;

  /** Sends events until there are no more, the client goes away, or the server stops. Rejects with the error of `events`. */
  async sendEvents(response: ServerResponse, events: AsyncIterable<AppEvent>): Promise<void> {
    const iterator = events[Symbol.asyncIterator]();
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      // Not awaited: `return` of an iterator that waits for its next event resolves only after that event.
      iterator.return?.().catch(() => {});
      if (!response.writableEnded) response.end();
    };
    response.once("close", end);
    const release = this.#hold(end);
    response.flushHeaders();
    try {
      for (let next = await iterator.next(); !isOver && !next.done; next = await iterator.next()) {
        if (!response.write(eventText(next.value))) await drained(response);
      }
      end();
    } catch (error) {
      // A normal end would make the stream look complete.
      if (!isOver) response.destroy();
      throw error;
    } finally {
      release();
    }
  }

  /** Passes a handshake to the app. When the server stops, the WebSocket is closed with the code 1001. */
  upgrade(handler: UpgradeHandler, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const release = this.#hold(() => closeWebSocket(socket));
    socket.once("close", release);
    socket.on("error", () => socket.destroy());
    try {
      handler(request, socket, head);
    } catch (error) {
      console.error(error);
      socket.destroy();
    }
  }

  /** Ends all of them, and those that begin later. */
  stop(): void {
    this.#isStopped = true;
    for (const end of this.#endings) end();
  }

  #hold(end: () => void): () => void {
    this.#endings.add(end);
    if (this.#isStopped) queueMicrotask(end);
    return () => this.#endings.delete(end);
  }
}

/** Sends the close frame. The client replies to it, and the app's WebSocket library then ends the connection. */
function closeWebSocket(socket: Duplex): void {
  // Before the response to the handshake, a frame would be a malformed response.
  if (!("bytesWritten" in socket) || socket.bytesWritten === 0) {
    socket.destroy();
    return;
  }
  socket.write(goingAway);
  const late = setTimeout(() => socket.destroy(), closeTimeoutMs);
  socket.once("close", () => clearTimeout(late));
}

/** Resolves when the client has read what was written, or has gone away. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const onEnd = (): void => {
      response.removeListener("drain", onEnd).removeListener("close", onEnd);
      resolve();
    };
    response.on("drain", onEnd).on("close", onEnd);
  });
}

function eventText({ event, id, data }: AppEvent): string {
  const field = (name: string, value: string | undefined): string =>
    value === undefined ? "" : `${name}: ${value.replace(/[\r\n\0]/g, " ")}\n`;
  return `${field("event", event)}${field("id", id)}data: ${JSON.stringify(data ?? null)}\n\n`;
}
