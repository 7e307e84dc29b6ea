import { JoinedPieces } from "./joined-pieces.ts";
import type { KnownHeads } from "./known-heads.ts";
import { badHead, type KnownLine, parseField, ResponseError } from "./response-fields.ts";
import { type Head, notHttp1, parseHead, statusLine } from "./response-head.ts";

/** Receives the parts of the responses on one connection. */
export interface ResponseEvents {
  /** Names in lower case and values, alternating. Not called for interim responses (1xx). `derived`: that of the receiver. */
  onHead(status: number, headers: readonly string[], derived: Map<object, unknown> | undefined): void;
  /** The bytes are valid during this call only. */
  onBody(bytes: Buffer): void;
  /** The response is complete. `isReusable`: whether the connection may carry another request. */
  onComplete(isReusable: boolean): void;
  /** The connection speaks another protocol now; `rest` are its first bytes. */
  onSwitch(headers: readonly string[], rest: Buffer): void;
}

/** Maximum size of a head, of all interim responses together, and of the trailers. */
const maxHeadBytes = 16_384;
/** A head of this size is found in a text sooner than in bytes. */
const maxShortHead = 1_024;
/** Maximum size of the line that begins a chunk, with its extensions. */
const maxChunkLine = 1_024;

const headEnd = "\r\n\r\n";
const version = "HTTP/1.";
/** The same, and line breaks that are not CR LF. */
const badBytes = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?<!\r)\n/;
/** Fields that say where the body ends. They are no trailers (RFC 9110 §6.5.1). */
const framing: ReadonlySet<string> = new Set(["content-length", "transfer-encoding"]);
/** Sizes below 256 MiB, without a leading zero. */
const maxPlainDigits = 8;
const chunkLine = /^0*([0-9A-Fa-f]{1,12})[ \t]*(?:;.*)?$/;
const none = Buffer.alloc(0);

type State = "idle" | "head" | "counted" | "chunk line" | "chunk" | "chunk end" | "trailers" | "until close";

/**
 * Parses the responses on one connection, one at a time (RFC 9112). It is strict where a lenient parser could take a part of a
 * body for another response: a length must be given once, `chunked` is the only transfer coding, and lines end with CR LF.
 */
export class ResponseParser {
  readonly #events: ResponseEvents;
  #state: State = "idle";
  /** Bytes of a head, a chunk line or trailers that are not complete. */
  #held: Buffer = none;
  /** How many of the held bytes of a head are lines that were judged. */
  #judged = 0;
  /** Bytes of interim responses before the head. */
  #interimBytes = 0;
  /** Of the last short head. */
  readonly #lastLines: KnownLine[] = [];
  readonly #heads: KnownHeads;
  readonly #chunks = new JoinedPieces();
  /** Bytes until the end of the counted body or of the chunk. */
  #left = 0;
  #hasBody = true;
  #maySwitch = false;
  #isReusable = true;

  /** `heads`: those of the backend. */
  constructor(events: ResponseEvents, heads: KnownHeads) {
    this.#events = events;
    this.#heads = heads;
  }

  /** Expects the response to a request. `maySwitch`: whether the request asked for another protocol. */
  expect(method: string, maySwitch: boolean): void {
    this.#state = "head";
    this.#interimBytes = 0;
    this.#hasBody = method !== "HEAD";
    this.#maySwitch = maySwitch;
  }

  /** How much of the body is still to come, as far as the last bytes say. */
  get bytesToCome(): number {
    if (this.#state === "until close") return Number.POSITIVE_INFINITY;
    return this.#state === "counted" || this.#state === "chunk" ? this.#left : 0;
  }

  /** Reads the next bytes. Throws ResponseError; the connection must be closed then. */
  read(bytes: Buffer): void {
    let at = 0;
    try {
      while (at < bytes.length) {
        if (this.#state === "idle") throw new ResponseError("bytes outside of a response");
        at = this.#step(bytes, at);
      }
    } finally {
      this.#passChunks();
    }
  }

  /**
   * The connection has ended. Returns whether that was the end of a response that only the end of the connection ends. Throws
   * ResponseError if it ended within a head.
   */
  end(): boolean {
    if (this.#state === "head" && this.#held.length > 0) throw new ResponseError("the connection ended within a head");
    if (this.#state !== "until close") return false;
    this.#complete(false);
    return true;
  }

  /** Reads one part, and returns the position behind it. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case "head":
        return this.#readShortHead(bytes, at) ?? this.#readHead(bytes, at);
      case "counted":
      case "chunk":
        return this.#readCounted(bytes, at);
      case "chunk line":
        return this.#readPlainSize(bytes, at) ?? this.#readLine(bytes, at, maxChunkLine, this.#onChunkLine);
      case "chunk end":
        if (this.#held.length > 0 || !endsLine(bytes, at)) return this.#readLine(bytes, at, 0, this.#onChunkEnd);
        this.#onChunkEnd();
        return at + 2;
      case "trailers":
        return this.#readLine(bytes, at, maxHeadBytes, this.#onTrailer);
      default:
        this.#events.onBody(at === 0 ? bytes : bytes.subarray(at));
        return bytes.length;
    }
  }

  /** Reads the usual head: short, and in one piece. Returns undefined, and does nothing, for others. */
  #readShortHead(bytes: Buffer, at: number): number | undefined {
    if (this.#held.length > 0 || this.#interimBytes > 0) return undefined;
    const text = bytes.toString("latin1", at, at + maxShortHead);
    const end = text.indexOf(headEnd);
    if (end < 0) return undefined;
    const behind = end + headEnd.length;
    this.#interimBytes = behind;
    const lines = text.slice(0, end + 2);
    const known = this.#heads.find(lines);
    if (known) return this.#onHead(known, bytes, at + behind);
    const head = parseHead(lines, this.#lastLines);
    this.#heads.add(head);
    return this.#onHead(head, bytes, at + behind);
  }

  #readHead(bytes: Buffer, at: number): number {
    const held = this.#held.length;
    const seen = held === 0 ? bytes : Buffer.concat([this.#held, bytes.subarray(at)]);
    const start = held === 0 ? at : 0;
    // The end may have begun in the bytes that were held.
    const end = seen.indexOf(headEnd, Math.max(start, held - headEnd.length));
    if ((end < 0 ? seen.length : end) - start + this.#interimBytes > maxHeadBytes) {
      throw new ResponseError(`the head is larger than ${maxHeadBytes} bytes`);
    }
    if (end < 0) {
      // A copy, because the bytes are valid during this call only.
      this.#held = held === 0 ? Buffer.from(seen.subarray(start)) : seen;
      this.#judgeHeld();
      return bytes.length;
    }
    this.#held = none;
    this.#judged = 0;
    const behind = end + headEnd.length;
    const next = held === 0 ? behind : at + behind - held;
    this.#interimBytes += behind - start;
    return this.#onHead(parseHead(seen.toString("latin1", start, end + 2)), bytes, next);
  }

  /** Refuses a head as soon as a part of it is wrong: a backend that waits for the next request may send no more. */
  #judgeHeld(): void {
    const text = this.#held.toString("latin1", this.#judged);
    if (this.#judged === 0 && !version.startsWith(text.slice(0, version.length))) throw notHttp1();
    if (badBytes.test(text.endsWith("\r") ? text.slice(0, -1) : text)) throw badHead();
    const end = text.lastIndexOf("\r\n");
    if (end < 0) return;
    const lines = text.slice(0, end).split("\r\n");
    if (this.#judged === 0 && !statusLine.test(lines.shift() ?? "")) throw notHttp1();
    for (const line of lines) parseField(line);
    this.#judged += end + 2;
  }

  #onHead(head: Head, bytes: Buffer, next: number): number {
    const { status, minor } = head;
    if (status === 101) return this.#switch(head.fields, bytes, next);
    if (status < 200) return next;
    this.#isReusable = minor === "1" ? !head.closes : head.keepsAlive;
    if (minor === "0" && head.isChunked) throw new ResponseError("chunks in HTTP/1.0");
    const isEmpty = !this.#hasBody || status === 204 || status === 304 || head.length === 0;
    this.#left = head.length ?? 0;
    this.#state = head.isChunked ? "chunk line" : head.length === undefined ? "until close" : "counted";
    this.#events.onHead(status, head.fields, head.derived);
    if (isEmpty) this.#complete(next === bytes.length);
    return next;
  }

  #switch(fields: readonly string[], bytes: Buffer, next: number): number {
    if (!this.#maySwitch) throw new ResponseError("a switch of protocols that was not requested");
    this.#state = "idle";
    this.#events.onSwitch(fields, bytes.subarray(next));
    return bytes.length;
  }

  #readCounted(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    const isLast = this.#left === 0;
    if (this.#state === "chunk") {
      if (isLast) this.#state = "chunk end";
      this.#chunks.add(bytes, at, end);
      return end;
    }
    this.#events.onBody(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    if (isLast) this.#complete(end === bytes.length);
    return end;
  }

  /** Passes on the chunks of one read together: each event costs more than a short chunk. */
  #passChunks(): void {
    const bytes = this.#chunks.take();
    if (bytes) this.#events.onBody(bytes);
  }

  /** Reads the usual line that begins a chunk: a short size, without an extension. Returns undefined, and does nothing, for others. */
  #readPlainSize(bytes: Buffer, at: number): number | undefined {
    if (this.#held.length > 0) return undefined;
    let size = 0;
    for (let i = at; i < at + maxPlainDigits; i += 1) {
      const digit = hexDigit(bytes[i]);
      if (digit >= 0) size = size * 16 + digit;
      else if (i === at || !endsLine(bytes, i)) return undefined;
      else {
        this.#beginChunk(size);
        return i + 2;
      }
    }
    return undefined;
  }

  /** Reads a line of at most `limit` bytes without its CR LF, however it is divided. */
  #readLine(bytes: Buffer, at: number, limit: number, onLine: (line: string, isLast: boolean) => void): number {
    const feed = bytes.indexOf(0x0a, at);
    const end = feed < 0 ? bytes.length : feed + 1;
    if (this.#held.length + end - at > limit + 2) throw new ResponseError("a line of a chunked body is too long");
    const part = bytes.subarray(at, end);
    const line = this.#held.length === 0 ? part : Buffer.concat([this.#held, part]);
    if (feed < 0) {
      this.#held = Buffer.from(line);
      return end;
    }
    this.#held = none;
    const text = line.toString("latin1");
    if (!text.endsWith("\r\n") || badBytes.test(text)) throw new ResponseError("a line of a chunked body is not valid");
    onLine(text.slice(0, -2), end === bytes.length);
    return end;
  }

  readonly #onChunkLine = (line: string): void => {
    const size = chunkLine.exec(line)?.[1];
    if (size === undefined) throw new ResponseError("the size of a chunk is not valid");
    this.#beginChunk(Number.parseInt(size, 16));
  };

  #beginChunk(size: number): void {
    this.#left = size;
    this.#state = size === 0 ? "trailers" : "chunk";
    this.#interimBytes = 0;
  }

  readonly #onChunkEnd = (): void => {
    this.#state = "chunk line";
  };

  /** Trailers concern this connection only, as the chunks do. They are checked as headers are, and dropped. */
  readonly #onTrailer = (line: string, isLast: boolean): void => {
    this.#interimBytes += line.length;
    if (this.#interimBytes > maxHeadBytes) throw new ResponseError(`the trailers are larger than ${maxHeadBytes} bytes`);
    if (line === "") this.#complete(isLast);
    else if (framing.has(parseField(line).name)) throw new ResponseError("a trailer that belongs into the head");
  };

  /** Bytes behind a response belong to no request, so that the connection cannot be used again. */
  #complete(isLast: boolean): void {
    this.#passChunks();
    this.#state = "idle";
    this.#events.onComplete(isLast && this.#isReusable);
  }
}

/** Returns whether CR LF is at a position. */
function endsLine(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x0d && bytes[at + 1] === 0x0a;
}

/** Returns the value of the character code of a hexadecimal digit, -1 for others. */
function hexDigit(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
