import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type HeaderBlock, headerLines, type OutboundResponse } from "@appserver/kernel";
import { httpDate } from "./http-date.ts";

/** Up to this size, a body leaves in one text with its head. It costs less than a list of buffers, but for large bodies more. */
const oneTextBytes = 4_096;
const nothing = Buffer.alloc(0);

/** How the end of a body is seen. `none`: a response without a body. */
type Framing = "length" | "chunked" | "none";

export interface PlainResponseOptions {
  readonly isHead: boolean;
  /** Whether the client asked to close the connection after the response. */
  readonly closes: boolean;
  /** `Connection` and `Keep-Alive` of a connection that stays. */
  readonly keepAlive: string;
  /** Called once, when the response was given to the system. */
  readonly onFinish: (closes: boolean) => void;
}

/** A response over a socket, with the bytes that Node's server would send. */
export class PlainResponse implements OutboundResponse {
  readonly #socket: Socket;
  readonly #options: PlainResponseOptions;
  readonly #closed: (() => void)[] = [];
  #drained: (() => void) | undefined;
  /** Set before the head is. Names in lower case. */
  #ownHeaders: Map<string, string> | undefined;
  /** The head, until it leaves. */
  #head = "";
  #framing: Framing = "none";
  #closes: boolean;
  /** Bytes of the body that the head has announced and that were not written. */
  #bytesLeft = 0;
  #isEnded = false;
  status = 200;
  isHeadSent = false;
  isClosed = false;
  isFinished = false;

  constructor(socket: Socket, options: PlainResponseOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#closes = options.closes;
  }

  setHeader(name: string, value: string): void {
    this.#ownHeaders ??= new Map();
    this.#ownHeaders.set(name.toLowerCase(), value);
  }

  hasHeader(name: string): boolean {
    return this.#ownHeaders?.has(name.toLowerCase()) === true;
  }

  writeContinue(): void {
    this.#socket.write("HTTP/1.1 100 Continue\r\n\r\n", "latin1");
  }

  writeHead(status: number, given: readonly string[], block?: HeaderBlock): void {
    if (this.isHeadSent) throw new Error("the head was sent already");
    const shared = this.#ownHeaders ? undefined : block?.lines;
    const own = headerLines(this.#ownHeaders ? merged(this.#ownHeaders, [...(block?.headers ?? []), ...given]) : given);
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}\r\n${shared?.text ?? ""}${own.text}`;
    const length = own.length ?? shared?.length;
    const connection = own.connection ?? shared?.connection ?? "";
    if (!own.hasDate && shared?.hasDate !== true) text += `Date: ${httpDate()}\r\n`;
    if (connection === "close") this.#closes = true;
    if (connection === "") text += this.#closes ? "Connection: close\r\n" : this.#options.keepAlive;
    this.#framing = "none";
    if (!this.#options.isHead && status !== 204 && status !== 304) {
      this.#framing = length === undefined ? "chunked" : "length";
      if (length === undefined) text += "Transfer-Encoding: chunked\r\n";
      else this.#bytesLeft = Number(length);
    }
    this.#head = `${text}\r\n`;
    this.status = status;
    this.isHeadSent = true;
  }

  get hasUnsent(): boolean {
    return this.#socket.writableLength > 0;
  }

  flushHead(): void {
    if (this.#head === "") return;
    this.#socket.write(this.#takeHead(), "latin1");
  }

  write(chunk: Uint8Array, mayKeep = true): boolean {
    if (this.#framing === "none" || chunk.length === 0) return true;
    if (this.#framing === "length") {
      this.#bytesLeft -= chunk.length;
      return this.#send(this.#takeHead(), chunk, "", mayKeep);
    }
    return this.#send(`${this.#takeHead()}${chunk.length.toString(16)}\r\n`, chunk, "\r\n", mayKeep);
  }

  end(last?: Uint8Array | string, mayKeep = true): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (!this.isHeadSent)
      this.writeHead(this.status, ["content-length", String(last === undefined ? 0 : Buffer.byteLength(last))]);
    if (typeof last === "string" && this.#framing === "length" && isAscii(last)) {
      this.#endWithText(last);
      return;
    }
    const chunk = last === undefined || this.#framing === "none" ? nothing : bytesOf(last);
    const head = this.#takeHead();
    if (this.#framing === "chunked") {
      if (chunk.length === 0) this.#send(`${head}0\r\n\r\n`, nothing, "", true);
      else this.#send(`${head}${chunk.length.toString(16)}\r\n`, chunk, "\r\n0\r\n\r\n", mayKeep);
    } else {
      this.#bytesLeft -= chunk.length;
      this.#send(head, chunk, "", mayKeep);
    }
    this.#finishWritten();
  }

  /** Its characters are bytes. */
  #endWithText(last: string): void {
    this.#bytesLeft -= last.length;
    this.#socket.write(this.#takeHead() + last, "latin1");
    this.#finishWritten();
  }

  #finishWritten(): void {
    // Another response would be read as the rest of this one.
    if (this.#framing === "length" && this.#bytesLeft !== 0) this.abort();
    else if (this.#socket.writableLength === 0) this.#finish();
    else
      this.#socket.write(nothing, (error) => {
        if (!error) this.#finish();
      });
  }

  abort(): void {
    this.#socket.destroy();
  }

  onClose(listener: () => void): void {
    this.#closed.push(listener);
  }

  onDrain(listener: () => void): void {
    this.#drained = listener;
  }

  /** Must be called when the socket accepts more. */
  drained(): void {
    this.#drained?.();
  }

  /** Must be called when the connection is over. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const listener of this.#closed) listener();
  }

  #finish(): void {
    if (this.isClosed) return;
    this.isFinished = true;
    this.close();
    this.#options.onFinish(this.#closes);
  }

  #takeHead(): string {
    const head = this.#head;
    this.#head = "";
    return head;
  }

  /** Writes a text of Latin-1, bytes, and another text. Returns false if the client should read first. */
  #send(before: string, bytes: Uint8Array, after: string, mayKeep: boolean): boolean {
    const socket = this.#socket;
    if (bytes.length === 0 || before.length + bytes.length + after.length <= oneTextBytes) {
      const text = bytes.length === 0 ? before : `${before}${latin1(bytes)}${after}`;
      return text === "" || socket.write(text, "latin1");
    }
    const own = mayKeep ? bytes : Buffer.from(bytes);
    if (before === "" && after === "") return socket.write(own);
    socket.cork();
    if (before !== "") socket.write(before, "latin1");
    socket.write(own);
    if (after !== "") socket.write(after, "latin1");
    socket.uncork();
    return !socket.writableNeedDrain;
  }
}

/** Such a text is the same bytes in Latin-1 and UTF-8. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

function bytesOf(text: Uint8Array | string): Uint8Array {
  return typeof text === "string" ? Buffer.from(text) : text;
}

function latin1(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return buffer.toString("latin1");
}

/** Returns the headers that were set before, without those that the head has itself, and then the head's. Repeated ones come together. */
function merged(before: ReadonlyMap<string, string>, given: readonly string[]): string[] {
  const byName = new Map<string, string[]>();
  for (let i = 0; i + 1 < given.length; i += 2) {
    const [name, value] = [given[i] as string, given[i + 1] as string];
    const same = byName.get(name.toLowerCase());
    if (same) same.push(name, value);
    else byName.set(name.toLowerCase(), [name, value]);
  }
  const own = [...before].filter(([name]) => !byName.has(name));
  return [...own.flat(), ...[...byName.values()].flat()];
}
