import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { HeaderBlock, OutboundResponse } from "@appserver/kernel";
import { hasBody } from "./node-request.ts";

interface ClosableStream {
  close(code: number): void;
}

const internalError = 2;

/** How long a client that is still sending has to notice its response. */
export const lingerMs = 2_000;

/** A response of Node's server, over HTTP/1.1 or HTTP/2. */
export class NodeResponse implements OutboundResponse {
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  /** Whether the client still waits for 100 Continue, and sends no body therefore. */
  #isUnconfirmed: boolean;
  /** Whether the head says that the connection ends. */
  #saysClose = false;

  /** `awaitsContinue`: whether the listener did not respond to `Expect: 100-continue`. */
  constructor(message: IncomingMessage, response: ServerResponse, awaitsContinue = false) {
    this.#message = message;
    this.#response = response;
    this.#isUnconfirmed = awaitsContinue;
    // A write to a connection that was just lost must not end the process. "close" handles the loss.
    response.on("error", () => {});
  }

  get status(): number {
    return this.#response.statusCode;
  }

  get isHeadSent(): boolean {
    return this.#response.headersSent;
  }

  get isClosed(): boolean {
    return this.#response.destroyed;
  }

  get isFinished(): boolean {
    // Node's HTTP/2 responses have no `writableFinished`.
    return this.#response.writableFinished ?? this.#response.writableEnded;
  }

  setHeader(name: string, value: string): void {
    this.#response.setHeader(name, value);
  }

  hasHeader(name: string): boolean {
    return this.#response.hasHeader(name);
  }

  writeContinue(): void {
    this.#isUnconfirmed = false;
    this.#response.writeContinue();
  }

  writeHead(status: number, given: readonly string[], shared?: HeaderBlock): void {
    const headers = shared ? [...shared.headers, ...given] : given;
    const response = this.#response;
    this.#saysClose = headers.some((name, index) => index % 2 === 0 && name === "Connection" && headers[index + 1] === "close");
    try {
      response.writeHead(status, headers as string[]);
    } catch (error) {
      forgetHead(response);
      throw error;
    }
  }

  get hasUnsent(): boolean {
    const response = this.#response;
    return ("stream" in response ? (response.stream as Duplex) : response).writableLength > 0;
  }

  flushHead(): void {
    this.#response.flushHeaders();
  }

  write(chunk: Uint8Array, mayKeep = true): boolean {
    return this.#response.write(mayKeep ? chunk : Buffer.from(chunk));
  }

  end(given?: Uint8Array | string, mayKeep = true): void {
    const last = mayKeep || typeof given !== "object" ? given : Buffer.from(given);
    const isRestComing = hasBody(this.#message) && !this.#message.complete && !this.#message.destroyed;
    if (isRestComing && !this.#isUnconfirmed && this.#closesConnection()) {
      endAfterLingering(this.#message, this.#response, last);
      return;
    }
    // A text of ASCII alone is the same bytes in both encodings, and Node writes the simpler one much faster.
    if (typeof last === "string") this.#response.end(last, Buffer.byteLength(last) === last.length ? "latin1" : "utf8");
    else this.#response.end(last);
    if (isRestComing) drainRequest(this.#message);
  }

  abort(): void {
    if ("stream" in this.#response) (this.#response.stream as ClosableStream).close(internalError);
    else this.#response.socket?.destroy();
  }

  onClose(listener: () => void): void {
    this.#response.once("close", listener);
  }

  onDrain(listener: () => void): void {
    this.#response.on("drain", listener);
  }

  #closesConnection(): boolean {
    const response = this.#response;
    if ("stream" in response) return false;
    return this.#saysClose || !response.shouldKeepAlive || response.getHeader("connection") === "close";
  }
}

/** Returns the response to a handshake that is refused. It ends the connection. */
export function handshakeResponse(message: IncomingMessage, socket: Duplex): NodeResponse {
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.once("finish", () => (socket as Socket).destroySoon());
  socket.on("drain", () => response.emit("drain"));
  return new NodeResponse(message, response);
}

/**
 * Reads and drops the rest of a request that already has a response, which keeps the connection. A client that continues
 * sending for too long loses it.
 */
function drainRequest(message: IncomingMessage): void {
  const timer = setTimeout(() => message.destroy(), lingerMs).unref();
  message.once("close", () => clearTimeout(timer)).once("end", () => clearTimeout(timer));
  message.resume();
}

/** Removes what a refused call of `writeHead` has left in the response: nothing of that head may come into another one. */
function forgetHead(response: ServerResponse): void {
  if (!("stream" in response)) {
    response.statusMessage = "";
    return;
  }
  for (const name of response.getHeaderNames()) {
    // HTTP/2 of Node removes no date.
    if (name === "date") response.setHeader(name, new Date().toUTCString());
    else response.removeHeader(name);
  }
}

/**
 * Sends the rest of a response, and closes the connection only when the client has stopped sending or the linger time is over.
 * Closing a connection with unread bytes resets it, and the client may then lose the response.
 */
function endAfterLingering(message: IncomingMessage, response: ServerResponse, last?: Uint8Array | string): void {
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    if (!response.writableEnded) response.end();
  };
  const timer = setTimeout(end, lingerMs).unref();
  message.once("end", end).once("close", end).resume();
  if (last) response.write(last);
  else response.flushHeaders();
}
