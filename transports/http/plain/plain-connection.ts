import type { Socket } from "node:net";
import { ReadMemory, readTarget } from "@appserver/kernel";
import { BodyPace } from "../body-pace.ts";
import { bodyRefusal, refusedBodyGraceMs } from "../body-refusal.ts";
import { deliveredBytes } from "../delivered-bytes.ts";
import { lingerMs } from "../node-response.ts";
import type { SlowBodies } from "../slow-bodies.ts";
import { refuseMalformed } from "../socket-responses.ts";
import { DirectReads } from "./direct-reads.ts";
import { ArrivingBody, type BodyConnection, WholeBody } from "./plain-body.ts";
import type { PlainHandler, PlainLimits } from "./plain-handler.ts";
import { maxPlainHeadBytes, type PlainFields, type PlainHead, parsePlainHead } from "./plain-head.ts";
import { type Peer, PlainRequest } from "./plain-request.ts";
import { PlainResponse } from "./plain-response.ts";

export interface PlainConnectionParts<Route> {
  readonly handler: PlainHandler<Route>;
  readonly limits: PlainLimits;
  readonly slowBodies: SlowBodies;
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

/** The client has closed its side within a body. */
class HalfBody extends Error {
  override readonly name = "HalfBody";
}

/** One connection of HTTP/1.1, one request at a time. */
export class PlainConnection<Route> implements Peer, BodyConnection {
  readonly isEncrypted: boolean;
  readonly #parts: PlainConnectionParts<Route>;
  readonly #socket: Socket;
  readonly #memory = new ReadMemory();
  /** Undefined for a socket that is read as a stream. */
  readonly #reads: DirectReads | undefined;
  /** Whether what is read now may be kept, and whether some of it is kept. */
  #mayKeep = true;
  #isKept = false;
  #response: PlainResponse | undefined;
  /** Set while bytes of it are awaited. */
  #body: ArrivingBody | undefined;
  /** When the connection is closed if the body is not complete by then. Set once it was refused, or its request has its response. */
  #cutAt: number | undefined;
  /** Whether the connection ends with the body, because its request has its response and was the last one. */
  #closesBehindBody = false;
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
    this.#reads = DirectReads.begin(socket, () => this.#memory.buffer, this.#onRead);
    if (!this.#reads) socket.on("data", this.#onData);
    socket.on("drain", this.#onDrain).on("end", this.#onEnd);
    socket.on("error", this.#onError).on("close", this.#onClose);
  }

  get peerAddress(): string {
    return this.#socket.remoteAddress ?? "";
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  closeIfIdle(): void {
    if (!this.#response) this.#socket.destroy();
  }

  /** Closes the connection if it is idle for too long, or its client has stopped reading. `now` is monotonic. */
  look(now: number): void {
    const socket = this.#socket;
    if (this.#body) this.#judgeBody(this.#body, now);
    else if (!this.#response) {
      this.#lastFields = undefined;
      this.#idleUntil ??= now + this.#parts.limits.idleTimeoutMs + keepAliveMarginMs;
      if (now >= this.#idleUntil) socket.destroy();
    }
    if (!this.#response) return;
    const { writeTimeoutMs } = this.#parts.limits;
    if (this.#pausedAt !== undefined && now - this.#pausedAt >= writeTimeoutMs) socket.destroy();
    const delivered = deliveredBytes(socket);
    if (socket.writableLength === 0 || delivered !== this.#delivered || this.#deliveredAt === 0) {
      this.#delivered = delivered;
      this.#deliveredAt = now;
    } else if (now - this.#deliveredAt >= writeTimeoutMs) socket.destroy();
  }

  #judgeBody(body: ArrivingBody, now: number): void {
    if (this.#cutAt !== undefined) {
      if (now < this.#cutAt) return;
      if (this.#closesBehindBody) this.#socket.destroySoon();
      else this.#socket.destroy();
      return;
    }
    const problem = body.pace?.judge(now, body.isAwaited);
    if (!problem) return;
    this.#cutAt = now + refusedBodyGraceMs;
    body.fail(bodyRefusal(problem, this.#parts.limits.readTimeoutMs));
  }

  /** The bytes are valid during this call, and longer if the memory says so. */
  readonly #onRead = (bytes: Buffer): boolean => {
    const memory = this.#memory;
    this.#mayKeep = memory.mayKeep(bytes.length);
    this.#isKept = false;
    this.#take(bytes);
    memory.use(readTarget(this.#body?.left ?? 0, this.#isKept));
    return true;
  };

  readonly #onData = (bytes: Buffer): void => {
    this.#mayKeep = true;
    this.#take(bytes);
  };

  #take(bytes: Buffer): void {
    if (this.#body) this.#continueBody(this.#body, bytes);
    else if (!this.#response) this.#next(bytes);
    else this.#wait(bytes);
  }

  /** Returns bytes that stay as they are. */
  #kept(bytes: Buffer): Buffer {
    if (!this.#mayKeep) return Buffer.from(bytes);
    this.#isKept = true;
    return bytes;
  }

  #continueBody(body: ArrivingBody, bytes: Buffer): void {
    const behind = body.left;
    if (bytes.length >= behind) {
      this.#body = undefined;
      this.#cutAt = undefined;
    }
    this.#addTo(body, bytes.length > behind ? bytes.subarray(0, behind) : bytes);
    if (this.#closesBehindBody && bytes.length >= behind) {
      this.#socket.destroySoon();
      return;
    }
    if (bytes.length > behind) this.#take(bytes.subarray(behind));
  }

  #addTo(body: ArrivingBody, bytes: Buffer): void {
    if (!this.#mayKeep) body.add(Buffer.from(bytes));
    else if (body.add(bytes)) this.#isKept = true;
  }

  #next(bytes: Buffer): void {
    const { handler, limits, keepAlive } = this.#parts;
    const head = parsePlainHead(bytes.toString("latin1", 0, maxPlainHeadBytes), this.#lastFields);
    const route = head && head.bytes <= limits.maxHeaderBytes ? handler.find(head.target) : undefined;
    if (!head || route === undefined) {
      this.#handOver(bytes);
      return;
    }
    this.#isFirst = false;
    this.#lastFields = bytes.length <= maxKeptBytes ? head.fields : undefined;
    const body = this.#bodyOf(head, bytes);
    const request = new PlainRequest(head, body, this);
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

  /** Returns the body of a request, and lets wait what comes behind it. */
  #bodyOf({ bytes: start, fields: { bodyBytes } }: PlainHead, bytes: Buffer): WholeBody | ArrivingBody | undefined {
    const end = start + bodyBytes;
    if (end < bytes.length) this.#wait(bytes.subarray(end));
    if (bodyBytes === 0) return undefined;
    if (end <= bytes.length) return new WholeBody(this.#kept(bytes.subarray(start, end)));
    const { limits, slowBodies } = this.#parts;
    const { readTimeoutMs } = limits;
    const pace = readTimeoutMs > 0 ? new BodyPace(readTimeoutMs, slowBodies, performance.now()) : undefined;
    const body = new ArrivingBody(bodyBytes, this, pace);
    if (bytes.length > start) this.#addTo(body, bytes.subarray(start));
    this.#body = body;
    return body;
  }

  /** What comes behind a request waits until that has its response. */
  #wait(bytes: Buffer): void {
    const rest = this.#rest ? Buffer.concat([this.#rest, bytes]) : this.#kept(bytes);
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
    this.#idleUntil = undefined;
    if (this.#body) {
      // Closing a connection with unread bytes resets it, and the client may then lose the response.
      this.#closesBehindBody = closes;
      this.#cutAt ??= performance.now() + lingerMs;
      this.#body.discard();
      return;
    }
    if (closes) {
      this.#socket.destroySoon();
      return;
    }
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
    if (this.#reads) this.#reads.end();
    else socket.pause();
    socket.unshift(this.#kept(bytes));
    this.#parts.handOver(socket, this.#isFirst);
  }

  readonly #onDrain = (): void => this.#response?.drained();

  /** As with Node's server, a client that closes its side gets nothing more, but for the refusal of half a body. */
  readonly #onEnd = (): void => {
    if (this.#body) refuseMalformed(new HalfBody("the body is not complete"), this.#socket);
    else this.#socket.end();
  };

  readonly #onError = (): void => void this.#socket.destroy();

  readonly #onClose = (): void => {
    this.#parts.onLeave();
    const body = this.#body;
    this.#body = undefined;
    this.#response?.close();
    body?.fail();
  };
}
