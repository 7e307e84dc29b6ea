import { type BufferLease, type HeaderBlock, type OutboundResponse, Rejection } from "@appserver/kernel";
import { statusOfRejection } from "./error-response.ts";

/** The response of an app, as far as it is kept. */
export interface DirectResponse {
  readonly status: number;
  /** Undefined if the app gave none. */
  readonly contentType: string | undefined;
  /** Where the response leads, or what it has created. Undefined if the app gave none. */
  readonly location: string | undefined;
  /** The body. Undefined if it is neither JSON nor another text. */
  readonly text: string | undefined;
  /** Bytes of the body. Undefined if not all of it was read and the app declared none. */
  readonly length: number | undefined;
  /** Whether the body continues after `text`: it was too long, or took too long. */
  readonly isCut: boolean;
}

/** At most this much of a body is read (docs/interface/limits.md#tools-of-language-models). */
const maxBytes = 262_144;

const textTypes = /^(?:text\/[^;]+|application\/(?:[\w.+-]+\+)?json)\s*(?:;|$)/i;
const utf8 = /;\s*charset\s*=\s*"?(?:utf-8|us-ascii)"?\s*(?:;|$)/i;

export interface MemoryResponseOptions {
  /** Counts what is kept. */
  readonly lease: BufferLease;
  /** Called once, when the app has responded. */
  readonly onHead: () => void;
}

/** A response that no connection takes. It keeps the beginning of a text, and counts all other bodies. */
export class MemoryResponse implements OutboundResponse {
  status = 200;
  isHeadSent = false;
  isClosed = false;
  isFinished = false;
  readonly hasUnsent = false;
  /** Rejects if the request is refused, or the response does not arrive. */
  readonly received: Promise<DirectResponse>;
  readonly #options: MemoryResponseOptions;
  readonly #settle = Promise.withResolvers<DirectResponse>();
  readonly #listeners: (() => void)[] = [];
  #headers: readonly string[] = [];
  #keepsText = false;
  readonly #chunks: Uint8Array[] = [];
  #kept = 0;
  #seen = 0;

  constructor(options: MemoryResponseOptions) {
    this.#options = options;
    this.received = this.#settle.promise;
    // The request may end before anything waits for its response.
    this.received.catch(() => {});
  }

  /** Headers are those of the app. */
  setHeader(): void {}

  hasHeader(): boolean {
    return false;
  }

  writeContinue(): void {}

  writeHead(status: number, headers: readonly string[], shared?: HeaderBlock): void {
    this.status = status;
    this.isHeadSent = true;
    this.#headers = [...(shared?.headers ?? []), ...headers];
    const type = this.#header("content-type") ?? "";
    const isPlain = (this.#header("content-encoding") ?? "identity") === "identity";
    this.#keepsText = isPlain && textTypes.test(type) && (!/charset/i.test(type) || utf8.test(type));
    this.#options.onHead();
  }

  flushHead(): void {}

  write(chunk: Uint8Array): boolean {
    if (this.isClosed || this.#isFull) return false;
    this.#take(chunk);
    // The sender of the chunk is still at work.
    if (this.#isFull) queueMicrotask(() => this.cut());
    return !this.#isFull;
  }

  end(last?: Uint8Array | string): void {
    if (this.isClosed) return;
    if (last !== undefined && !this.#isFull) this.#take(Buffer.from(last));
    this.#finish(this.#seen > maxBytes);
  }

  /** The response breaks off. */
  abort(): void {
    this.#close(new Rejection("UPSTREAM_ERROR", "upstream_reset", "The response of the app broke off before its end."));
  }

  onClose(listener: () => void): void {
    if (this.isClosed) listener();
    else this.#listeners.push(listener);
  }

  onDrain(): void {}

  /** The request is refused. */
  refuse(rejection: Rejection): void {
    this.status = statusOfRejection(rejection);
    this.isHeadSent = true;
    this.isFinished = true;
    this.#close(rejection);
  }

  /** Keeps what has arrived, and takes no more. */
  cut(): void {
    this.#finish(true);
  }

  /** The caller does not wait any more. */
  disconnect(): void {
    this.#close(new Rejection("INVALID_REQUEST", "client_gone", "The caller went away before the response."));
  }

  get #isFull(): boolean {
    return this.#seen > maxBytes;
  }

  #take(chunk: Uint8Array): void {
    this.#seen += chunk.length;
    if (!this.#keepsText) return;
    const part = chunk.subarray(0, maxBytes - this.#kept);
    try {
      this.#options.lease.take(part.length);
    } catch (error) {
      queueMicrotask(() => this.#close(error as Error));
      return;
    }
    this.#kept += part.length;
    // The memory of a chunk is used again.
    this.#chunks.push(Uint8Array.from(part));
  }

  #finish(isCut: boolean): void {
    if (this.isClosed) return;
    const declared = this.#header("content-length");
    this.isFinished = true;
    this.#settle.resolve({
      status: this.status,
      contentType: this.#header("content-type"),
      location: this.#header("location"),
      text: this.#keepsText ? new TextDecoder().decode(Buffer.concat(this.#chunks)) : undefined,
      length: isCut ? (declared === undefined ? undefined : Number(declared)) : this.#seen,
      isCut: isCut && this.#keepsText,
    });
    this.#close();
  }

  #close(error?: Error): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (error) this.#settle.reject(error);
    for (const listener of this.#listeners.splice(0)) listener();
  }

  #header(name: string): string | undefined {
    const at = this.#headers.findIndex((field, index) => index % 2 === 0 && field.toLowerCase() === name);
    return at < 0 ? undefined : this.#headers[at + 1];
  }
}
