/** Receives the parts of the responses on one connection. */
export interface ResponseEvents {
  /** Names in lower case and values, alternating. Not called for interim responses (1xx). */
  onHead(status: number, headers: readonly string[]): void;
  /** The bytes are valid during this call only. */
  onBody(bytes: Buffer): void;
  /** The response is complete. `isReusable`: whether the connection may carry another request. */
  onComplete(isReusable: boolean): void;
  /** The connection speaks another protocol now; `rest` are its first bytes. */
  onSwitch(headers: readonly string[], rest: Buffer): void;
}

/** The bytes are not a response of HTTP/1.1, or one that two parsers could read in two ways. */
export class ResponseError extends Error {
  override readonly name = "ResponseError";
}

/** Maximum size of a head, of all interim responses together, and of the trailers. */
const maxHeadBytes = 16_384;
/** Maximum size of the line that begins a chunk, with its extensions. */
const maxChunkLine = 1_024;

const headEnd = "\r\n\r\n";
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/;
/** Controls, and line breaks that are not CR LF. */
const badBytes = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?<!\r)\n/;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const decimal = /^\d{1,15}$/;
const chunkLine = /^([0-9A-Fa-f]{1,12})[ \t]*(?:;.*)?$/;
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
  /** Bytes of interim responses before the head. */
  #interimBytes = 0;
  /** Bytes until the end of the counted body or of the chunk. */
  #left = 0;
  #hasBody = true;
  #maySwitch = false;
  #isReusable = true;

  constructor(events: ResponseEvents) {
    this.#events = events;
  }

  /** Expects the response to a request. `maySwitch`: whether the request asked for another protocol. */
  expect(method: string, maySwitch: boolean): void {
    this.#state = "head";
    this.#interimBytes = 0;
    this.#hasBody = method !== "HEAD";
    this.#maySwitch = maySwitch;
  }

  /** Reads the next bytes. Throws ResponseError; the connection must be closed then. */
  read(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === "idle") throw new ResponseError("bytes outside of a response");
      at = this.#step(bytes, at);
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
        return this.#readHead(bytes, at);
      case "counted":
      case "chunk":
        return this.#readCounted(bytes, at);
      case "chunk line":
        return this.#readLine(bytes, at, maxChunkLine, this.#onChunkLine);
      case "chunk end":
        return this.#readLine(bytes, at, 0, this.#onChunkEnd);
      case "trailers":
        return this.#readLine(bytes, at, maxHeadBytes, this.#onTrailer);
      default:
        this.#events.onBody(at === 0 ? bytes : bytes.subarray(at));
        return bytes.length;
    }
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
      return bytes.length;
    }
    this.#held = none;
    const behind = end + headEnd.length;
    const next = held === 0 ? behind : at + behind - held;
    this.#interimBytes += behind - start;
    return this.#onHead(seen.toString("latin1", start, end), bytes, next);
  }

  #onHead(text: string, bytes: Buffer, next: number): number {
    if (badBytes.test(text)) throw new ResponseError("the head holds a control character or a bare line break");
    const lineEnd = text.indexOf("\r\n");
    const found = statusLine.exec(lineEnd < 0 ? text : text.slice(0, lineEnd));
    if (!found) throw new ResponseError("the status line is not one of HTTP/1.1");
    const status = Number(found[2]);
    const head = parseFields(text, lineEnd < 0 ? text.length : lineEnd + 2);
    if (status === 101) return this.#switch(head.fields, bytes, next);
    if (status < 200) return next;
    this.#isReusable = found[1] === "1" ? !head.closes : head.keepsAlive;
    if (found[1] === "0" && head.isChunked) throw new ResponseError("chunks in HTTP/1.0");
    const isEmpty = !this.#hasBody || status === 204 || status === 304 || head.length === 0;
    this.#left = head.length ?? 0;
    this.#state = head.isChunked ? "chunk line" : head.length === undefined ? "until close" : "counted";
    this.#events.onHead(status, head.fields);
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
    const part = at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end);
    const isLast = this.#left === 0;
    if (isLast && this.#state === "chunk") this.#state = "chunk end";
    const isComplete = isLast && this.#state === "counted";
    this.#events.onBody(part);
    if (isComplete) this.#complete(end === bytes.length);
    return end;
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
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? "trailers" : "chunk";
    this.#interimBytes = 0;
  };

  readonly #onChunkEnd = (): void => {
    this.#state = "chunk line";
  };

  /** Trailers concern this connection only, as the chunks do. */
  readonly #onTrailer = (line: string, isLast: boolean): void => {
    this.#interimBytes += line.length;
    if (this.#interimBytes > maxHeadBytes) throw new ResponseError(`the trailers are larger than ${maxHeadBytes} bytes`);
    if (line === "") this.#complete(isLast);
  };

  /** Bytes behind a response belong to no request, so that the connection cannot be used again. */
  #complete(isLast: boolean): void {
    this.#state = "idle";
    this.#events.onComplete(isLast && this.#isReusable);
  }
}

interface Fields {
  readonly fields: readonly string[];
  /** Undefined if the head gives none. */
  readonly length: number | undefined;
  readonly isChunked: boolean;
  readonly closes: boolean;
  readonly keepsAlive: boolean;
}

function parseFields(text: string, from: number): Fields {
  const fields: string[] = [];
  let length: number | undefined;
  let isChunked = false;
  let connection = "";
  for (let at = from; at < text.length; ) {
    const found = text.indexOf("\r\n", at);
    const end = found < 0 ? text.length : found;
    const colon = text.indexOf(":", at);
    if (colon < 0 || colon > end) throw new ResponseError("a header has no colon");
    const name = lowerName(text.slice(at, colon));
    const value = withoutBlanks(text, colon + 1, end);
    fields.push(name, value);
    if (name === "content-length") {
      if (length !== undefined || !decimal.test(value)) throw new ResponseError("the length of the body is not valid");
      length = Number(value);
    } else if (name === "transfer-encoding") {
      if (isChunked || value.toLowerCase() !== "chunked") throw new ResponseError("a transfer coding other than chunked");
      isChunked = true;
    } else if (name === "connection") connection += `,${value.toLowerCase()}`;
    at = end + 2;
  }
  if (isChunked && length !== undefined) throw new ResponseError("a length together with a transfer coding");
  const options = connection === "" ? [] : connection.split(",").map((option) => option.trim());
  return { fields, length, isChunked, closes: options.includes("close"), keepsAlive: options.includes("keep-alive") };
}

/** Returns a part of the text without spaces and tabs around it. Other blanks of Unicode may be bytes of a value. */
function withoutBlanks(text: string, start: number, end: number): string {
  let [first, last] = [start, end];
  while (first < last && isBlank(text.charCodeAt(first))) first += 1;
  while (last > first && isBlank(text.charCodeAt(last - 1))) last -= 1;
  return text.slice(first, last);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Names that were seen, in lower case: the names of an app's headers hardly change. */
const knownNames = new Map<string, string>();
const maxKnownNames = 1_000;

function lowerName(name: string): string {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  if (!token.test(name)) throw new ResponseError("the name of a header is not valid");
  const lower = name.toLowerCase();
  if (knownNames.size < maxKnownNames) knownNames.set(name, lower);
  return lower;
}
