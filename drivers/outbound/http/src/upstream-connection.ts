import type { Duplex } from "node:stream";
import { type BodySource, type ReadTarget, readTarget } from "@appserver/kernel";
import type { UpstreamCall, UpstreamFailure, UpstreamReceiver } from "@appserver/kernel/ports";
import { readPastFailedWrites } from "./failed-writes.ts";
import type { KnownHeads } from "./known-heads.ts";
import { RequestStream } from "./request-stream.ts";
import { type ResponseEvents, ResponseParser } from "./response-parser.ts";
import { ConnectionLost, failureOf } from "./upstream-failure.ts";

/** A request as it goes over a connection. */
export interface WireRequest {
  readonly method: string;
  /** Request line and headers without those of the body's length, each with its line break. */
  readonly head: string;
  /** The length that the caller declared. Undefined if the body is a stream of unknown length, or no stream. */
  readonly declaredLength: number | undefined;
  readonly body: BodySource | Uint8Array | undefined;
  readonly maySwitch: boolean;
}

export interface ConnectionOwner {
  /** The connection may carry another request. */
  onIdle(connection: UpstreamConnection): void;
  /** The connection has closed, or belongs to the receiver of an upgrade. */
  onClose(connection: UpstreamConnection): void;
  /** Set to true when bytes have arrived. */
  hasRead: boolean;
}

/** Methods without a body unless they say so (RFC 9110 §8.6): others say that they have none. */
const withoutBody: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "DELETE"]);

/** One request on a connection, from its start until its response is complete. */
class Exchange implements UpstreamCall {
  readonly receiver: UpstreamReceiver;
  readonly #connection: UpstreamConnection;
  isAborted = false;
  /** Whether all of the request was written. */
  isSent = false;
  /** Whether a byte of the response has arrived. Until then the two below are called in place of the receiver's `onError`. */
  isAnswered = false;
  onUnanswered: (() => void) | undefined;
  onGivenUp: ((failure: UpstreamFailure) => void) | undefined;

  constructor(receiver: UpstreamReceiver, connection: UpstreamConnection) {
    this.receiver = receiver;
    this.#connection = connection;
  }

  pause(): void {
    this.#connection.pause(this);
  }

  resume(): void {
    this.#connection.resume(this);
  }

  abort(): void {
    this.isAborted = true;
    this.#connection.abort(this);
  }
}

/** One connection to a backend. It carries one request at a time. */
export class UpstreamConnection implements ResponseEvents {
  readonly socket: Duplex;
  readonly #owner: ConnectionOwner;
  readonly #parser: ResponseParser;
  #exchange: Exchange | undefined;
  #body: RequestStream | undefined;
  #readsPastFailedWrites = false;
  /** Whether a write has failed. */
  #isBroken = false;
  /** Whether the receiver may keep what is read now, and whether it keeps some of it. */
  #mayKeep = false;
  #isKept = false;
  /** Monotonic milliseconds at which the backend may close it. Set by the owner. */
  idleUntil = 0;
  /** How long the backend keeps an idle connection, as its last response said. */
  keepAliveMs: number | undefined;

  /** The bytes that the socket reads must be passed to {@link read}. `heads`: those of the backend. */
  constructor(socket: Duplex, owner: ConnectionOwner, heads: KnownHeads) {
    this.socket = socket;
    this.#owner = owner;
    this.#parser = new ResponseParser(this, heads);
    socket.on("error", this.#onError);
    socket.on("end", this.#onEnd);
    socket.on("close", this.#onClose);
  }

  /**
   * Sends a request. The receiver gets every outcome, except that before the first byte of a response `onUnanswered` is called if the
   * connection ends, and `onGivenUp` if the request is {@link giveUp given up}.
   */
  send(
    request: WireRequest,
    receiver: UpstreamReceiver,
    onUnanswered?: () => void,
    onGivenUp?: (failure: UpstreamFailure) => void,
  ): void {
    const exchange = new Exchange(receiver, this);
    exchange.onUnanswered = onUnanswered;
    exchange.onGivenUp = onGivenUp;
    this.#exchange = exchange;
    this.#parser.expect(request.method, request.maySwitch);
    receiver.onStart(exchange);
    if (!exchange.isAborted) this.#write(request, exchange);
  }

  /** Passes on what the socket has read. Returns what the socket should read into next. */
  read(bytes: Buffer, mayKeep: boolean): ReadTarget {
    this.#owner.hasRead = true;
    if (this.#exchange) this.#exchange.isAnswered = true;
    this.#mayKeep = mayKeep;
    this.#isKept = false;
    try {
      this.#parser.read(bytes);
    } catch (error) {
      this.#fail(error);
    }
    return readTarget(this.#exchange ? this.#parser.bytesToCome : 0, this.#isKept);
  }

  /** Whether it carries a request of whose response nothing has arrived. */
  get isUnanswered(): boolean {
    return this.#exchange?.isAnswered === false;
  }

  /** Does nothing unless the request is unanswered and may be sent elsewhere. */
  giveUp(failure: UpstreamFailure): void {
    const exchange = this.#exchange;
    if (!exchange?.onGivenUp || exchange.isAnswered) return;
    this.#detach();
    this.socket.destroy();
    exchange.onGivenUp(failure);
  }

  /** Reads no more, except what has arrived with the last bytes. Does nothing once the response is complete. */
  pause(exchange: Exchange): void {
    if (this.#exchange === exchange) this.socket.pause();
  }

  resume(exchange: Exchange): void {
    if (this.#exchange === exchange) this.socket.resume();
  }

  /** Ends the connection of a call that its receiver no longer wants. */
  abort(exchange: Exchange): void {
    if (this.#exchange !== exchange) return;
    this.#detach();
    this.socket.destroy();
  }

  onHead(status: number, headers: readonly string[], derived: Map<object, unknown> | undefined): void {
    const at = headers.indexOf("keep-alive");
    // At an odd place it is a value.
    this.keepAliveMs = at >= 0 && at % 2 === 0 ? timeoutOf(headers[at + 1] as string) : undefined;
    this.#exchange?.receiver.onHead(status, headers, derived);
  }

  onBody(bytes: Buffer): void {
    if (this.#exchange?.receiver.onData(bytes, this.#mayKeep) === true) this.#isKept = true;
  }

  onComplete(isReusable: boolean): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    this.#detach();
    // The rest of a request that already has its response would be read as the next request.
    if (isReusable && exchange.isSent && !this.#isBroken) {
      // The receiver may have paused at bytes that came together with the end.
      if (this.socket.isPaused()) this.socket.resume();
      this.#owner.onIdle(this);
    } else this.socket.destroy();
    exchange.receiver.onEnd();
  }

  onSwitch(headers: readonly string[], rest: Buffer): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    this.#detach();
    const { socket } = this;
    socket.removeAllListeners("data").pause();
    socket.removeListener("error", this.#onError).removeListener("end", this.#onEnd).removeListener("close", this.#onClose);
    this.#owner.onClose(this);
    if (rest.length > 0) socket.unshift(Buffer.from(rest));
    exchange.receiver.onUpgrade(headers, socket);
  }

  #write({ head, body, declaredLength, method }: WireRequest, exchange: Exchange): void {
    const { socket } = this;
    if (body === undefined || body instanceof Uint8Array) {
      const length = body?.length ?? 0;
      exchange.isSent = true;
      if (length === 0) {
        socket.write(withoutBody.has(method) ? `${head}\r\n` : `${head}content-length: 0\r\n\r\n`, "latin1");
        return;
      }
      this.#readPastFailedWrites();
      socket.cork();
      socket.write(`${head}content-length: ${length}\r\n\r\n`, "latin1");
      socket.write(body as Uint8Array);
      socket.uncork();
      return;
    }
    this.#readPastFailedWrites();
    const framing = declaredLength === undefined ? "transfer-encoding: chunked" : `content-length: ${declaredLength}`;
    socket.write(`${head}${framing}\r\n\r\n`, "latin1");
    this.#body = new RequestStream(body, socket, declaredLength, (error) => {
      if (error) this.#fail(error);
      else exchange.isSent = true;
    });
    this.#body.start();
  }

  /** Only bodies are still being written when a response may have come. */
  #readPastFailedWrites(): void {
    if (this.#readsPastFailedWrites) return;
    this.#readsPastFailedWrites = true;
    readPastFailedWrites(this.socket, this.#onWriteFailed);
  }

  /** The backend reads no more. What it has sent is read, until the connection ends. */
  readonly #onWriteFailed = (): void => {
    this.#body?.stop();
    this.#body = undefined;
    this.#isBroken = true;
    if (!this.#exchange) this.socket.destroy();
  };

  readonly #onError = (error: Error): void => this.#fail(error);

  readonly #onEnd = (): void => {
    try {
      if (!this.#parser.end()) this.#fail(new ConnectionLost());
    } catch (error) {
      this.#fail(error);
    }
  };

  readonly #onClose = (): void => {
    // First, because the request may continue on another connection, which must exist before an owner that is closing looks.
    this.#fail(new ConnectionLost());
    this.#owner.onClose(this);
  };

  #fail(cause: unknown): void {
    const exchange = this.#exchange;
    this.#detach();
    this.socket.destroy();
    if (!exchange) return;
    const failure = failureOf(cause);
    if (failure.kind === "reset" && exchange.onUnanswered && !exchange.isAnswered) exchange.onUnanswered();
    else exchange.receiver.onError(failure);
  }

  #detach(): void {
    this.#exchange = undefined;
    this.#body?.stop();
    this.#body = undefined;
  }
}

const timeoutParameter = /(?:^|[,\s])timeout="?(\d{1,6})/i;

/** Returns the milliseconds of a `Keep-Alive: timeout=5` header. */
function timeoutOf(value: string): number | undefined {
  const seconds = timeoutParameter.exec(value)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}
