import type { Socket } from "node:net";
import { deliveredBytes } from "../delivered-bytes.ts";
import type { PlainHandler, PlainLimits } from "./plain-handler.ts";
import { maxPlainHeadBytes, type PlainFields, parsePlainHead } from "./plain-head.ts";
import { type Peer, PlainRequest } from "./plain-request.ts";
import { PlainResponse } from "./plain-response.ts";

export interface PlainConnectionParts<Route> {
  readonly handler: PlainHandler<Route>;
  readonly limits: PlainLimits;
  /** `Connection` and `Keep-Alive` of a connection that stays. */
  readonly keepAlive: string;
  readonly socket: Socket;
  readonly isEncrypted: boolean;
  /** Gets the connection, paused and with the unread bytes in front, at a request that is not plain. */
  readonly handOver: (socket: Socket, isFirst: boolean) => void;
  /** Called once, when the connection is closed or handed over. */
  readonly onLeave: () => void;
}

/** What may wait behind a request that has no response yet. Below it the connection is still read, to notice that the client has left. */
const maxRestBytes = 65_536;

/** The largest read whose header fields are kept for the next request. The fields keep all of its text in memory. */
const maxKeptBytes = 2_048;

/** As Node's server does, the server keeps an idle connection for a while longer than it says. */
const keepAliveMarginMs = 1_000;

/** One connection of HTTP/1.1, one request at a time. */
export class PlainConnection<Route> implements Peer {
  readonly isEncrypted: boolean;
  readonly #parts: PlainConnectionParts<Route>;
  readonly #socket: Socket;
  #response: PlainResponse | undefined;
  /** What arrived behind a request that has no response yet. */
  #rest: Buffer | undefined;
  #isFirst = true;
  /** Those of the last request, until the connection is seen idle. */
  #lastFields: PlainFields | undefined;
  /** Monotonic milliseconds at which an idle connection is closed. Undefined until it is seen idle. */
  #idleUntil: number | undefined;
  /** When a client had sent too much behind its request. Its leaving cannot be noticed since. */
  #pausedAt: number | undefined;
  /** Bytes that the kernel had accepted at a look, and when this number was first seen. */
  #delivered = 0;
  #deliveredAt = 0;

  constructor(parts: PlainConnectionParts<Route>) {
    const { socket, limits, isEncrypted } = parts;
    this.#parts = parts;
    this.#socket = socket;
    this.isEncrypted = isEncrypted;
    this.#idleUntil = performance.now() + limits.headersTimeoutMs;
    socket.on("data", this.#onData).on("drain", this.#onDrain).on("end", this.#onEnd);
    socket.on("error", this.#onError).on("close", this.#onClose);
  }

  get peerAddress(): string {
    return this.#socket.remoteAddress ?? "";
  }

  closeIfIdle(): void {
    if (!this.#response) this.#socket.destroy();
  }

  /** Closes the connection if it is idle for too long, or its client has stopped reading. `now` is monotonic. */
  look(now: number): void {
    const socket = this.#socket;
    if (!this.#response) {
      this.#lastFields = undefined;
      this.#idleUntil ??= now + this.#parts.limits.idleTimeoutMs + keepAliveMarginMs;
      if (now >= this.#idleUntil) socket.destroy();
      return;
    }
    const { writeTimeoutMs } = this.#parts.limits;
    if (this.#pausedAt !== undefined && now - this.#pausedAt >= writeTimeoutMs) socket.destroy();
    const delivered = deliveredBytes(socket);
    if (socket.writableLength === 0 || delivered !== this.#delivered || this.#deliveredAt === 0) {
      this.#delivered = delivered;
      this.#deliveredAt = now;
    } else if (now - this.#deliveredAt >= writeTimeoutMs) socket.destroy();
  }

  readonly #onData = (bytes: Buffer): void => {
    if (!this.#response) {
      this.#next(bytes);
      return;
    }
    // What comes behind a request waits until that has its response.
    this.#wait(this.#rest ? Buffer.concat([this.#rest, bytes]) : bytes);
  };

  #next(bytes: Buffer): void {
    const { handler, limits, keepAlive } = this.#parts;
    const head = parsePlainHead(bytes.toString("latin1", 0, maxPlainHeadBytes), this.#lastFields);
    const end = head ? head.bytes + head.fields.bodyBytes : 0;
    const route = head && head.bytes <= limits.maxHeaderBytes && end <= bytes.length ? handler.find(head.target) : undefined;
    if (!head || route === undefined) {
      this.#handOver(bytes);
      return;
    }
    this.#isFirst = false;
    this.#lastFields = bytes.length <= maxKeptBytes ? head.fields : undefined;
    if (end < bytes.length) this.#wait(bytes.subarray(end));
    const request = new PlainRequest(head, head.fields.bodyBytes > 0 ? bytes.subarray(head.bytes, end) : undefined, this);
    const response = new PlainResponse(this.#socket, {
      isHead: head.method === "HEAD",
      closes: head.fields.closes,
      keepAlive,
      onFinish: this.#onFinish,
    });
    this.#response = response;
    this.#deliveredAt = 0;
    handler.handle(request, response, route);
  }

  #wait(rest: Buffer): void {
    this.#rest = rest;
    if (rest.length < maxRestBytes) return;
    this.#pausedAt = performance.now();
    this.#socket.pause();
  }

  readonly #onFinish = (closes: boolean): void => {
    this.#response = undefined;
    const rest = this.#rest;
    this.#rest = undefined;
    this.#pausedAt = undefined;
    if (closes) {
      this.#socket.destroySoon();
      return;
    }
    this.#idleUntil = undefined;
    if (!rest) return;
    // Not at once, because what has ended the response is still at work.
    process.nextTick(() => {
      if (this.#socket.destroyed) return;
      this.#socket.resume();
      this.#onData(rest);
    });
  };

  #handOver(bytes: Buffer): void {
    const socket = this.#socket;
    socket.removeListener("data", this.#onData).removeListener("drain", this.#onDrain).removeListener("end", this.#onEnd);
    socket.removeListener("error", this.#onError).removeListener("close", this.#onClose);
    this.#parts.onLeave();
    socket.pause();
    socket.unshift(bytes);
    this.#parts.handOver(socket, this.#isFirst);
  }

  readonly #onDrain = (): void => this.#response?.drained();

  /** Like Node's server, the platform sends nothing to a client that has closed its side. */
  readonly #onEnd = (): void => void this.#socket.end();

  readonly #onError = (): void => void this.#socket.destroy();

  readonly #onClose = (): void => {
    this.#parts.onLeave();
    this.#response?.close();
  };
}
