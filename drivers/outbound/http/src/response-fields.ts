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

/** Controls that a line of a head cannot have. */
export const controls = /[\0-\x08\x0a-\x1f\x7f]/;
const noField: Field = { name: "", value: "" };
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const decimal = /^\d{1,15}$/;

/** A line of an earlier head, with its line break. */
export interface KnownLine extends Field {
  readonly line: string;
}

/**
 * Parses the lines of a head from a position on. Throws ResponseError. `known` are the lines of the last head of the connection, which
 * become those of this one: most lines of a backend are those of its last response, and they are not parsed again.
 */
export function parseFields(text: string, from: number, known?: KnownLine[]): Fields {
  const fields: string[] = [];
  let length: number | undefined;
  let isChunked = false;
  let connection = "";
  for (let at = from, count = 0; at < text.length; count += 1) {
    const same = known?.[count];
    let { name, value } = same ?? noField;
    if (same && text.slice(at, at + same.line.length) === same.line) at += same.line.length;
    else {
      const end = lineEnd(text, at);
      if (controls.test(text.slice(at, end))) throw badHead();
      ({ name, value } = parseField(text, at, end));
      if (known) known[count] = { line: text.slice(at, end + 2), name, value };
      at = end + 2;
    }
    fields.push(name, value);
    if (name === "content-length") {
      if (length !== undefined || !decimal.test(value)) throw new ResponseError("the length of the body is not valid");
      length = Number(value);
    } else if (name === "transfer-encoding") {
      if (isChunked || value.toLowerCase() !== "chunked") throw new ResponseError("a transfer coding other than chunked");
      isChunked = true;
    } else if (name === "connection") connection += `,${value.toLowerCase()}`;
  }
  if (isChunked && length !== undefined) throw new ResponseError("a length together with a transfer coding");
  const options = connection === "" ? [] : connection.split(",").map((option) => option.trim());
  return { fields, length, isChunked, closes: options.includes("close"), keepsAlive: options.includes("keep-alive") };
}

/** Returns where the line that begins at a position ends. Throws ResponseError unless CR LF ends it. */
export function lineEnd(text: string, at: number): number {
  // Twice one character is found faster than once two.
  const end = text.indexOf("\r", at);
  if (end < 0 || text.indexOf("\n", at) !== end + 1) throw badHead();
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
