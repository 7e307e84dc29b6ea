import { withoutBlanks } from "@appserver/kernel";

/** The bytes are not a response of HTTP/1.1, or one that two parsers could read in two ways. */
export class ResponseError extends Error {
  override readonly name = "ResponseError";
}

export interface Field {
  /** In lower case. */
  readonly name: string;
  readonly value: string;
}

/** The fields of a head, and what they say about the body and the connection. */
export interface Fields {
  /** Names in lower case and values, alternating. */
  readonly fields: readonly string[];
  /** Undefined if the head gives none. */
  readonly length: number | undefined;
  readonly isChunked: boolean;
  readonly closes: boolean;
  readonly keepsAlive: boolean;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const decimal = /^\d{1,15}$/;

/** Parses the lines of a head from a position on. Throws ResponseError. */
export function parseFields(text: string, from: number): Fields {
  const fields: string[] = [];
  let length: number | undefined;
  let isChunked = false;
  let connection = "";
  for (let at = from; at < text.length; ) {
    const end = lineEnd(text, at);
    const { name, value } = parseField(text, at, end);
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

/** Returns where the line that begins at a position ends. Throws ResponseError for a line break that is not CR LF. */
export function lineEnd(text: string, at: number): number {
  // Twice one character is found faster than once two.
  const feed = text.indexOf("\n", at);
  const end = feed < 0 ? text.length : feed - 1;
  if (text.indexOf("\r", at) !== (feed < 0 ? -1 : end)) throw badHead();
  return end;
}

export function badHead(): ResponseError {
  return new ResponseError("the head holds a control character or a bare line break");
}

/**
 * Parses one line, between two positions and without its CR LF. Throws ResponseError for a line without a colon, a name that is not
 * a token, and so for a folded line.
 */
export function parseField(text: string, start = 0, end = text.length): Field {
  const colon = text.indexOf(":", start);
  if (colon < 0 || colon > end) throw new ResponseError("a header has no colon");
  return { name: lowerName(text.slice(start, colon)), value: withoutBlanks(text, colon + 1, end) };
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
