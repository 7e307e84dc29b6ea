import { withoutBlanks } from "@appserver/kernel";

/** The head of a request that every parser reads in the same way. */
export interface PlainHead {
  readonly method: string;
  readonly target: string;
  readonly fields: PlainFields;
  /** Bytes of the head, with the empty line. */
  readonly bytes: number;
}

/** The header fields of a plain head, and what they say about the message. */
export interface PlainFields {
  /** The lines. */
  readonly text: string;
  /** Names as sent and values, alternating. No name is repeated. */
  readonly list: readonly string[];
  /** The names in lower case. */
  readonly names: readonly string[];
  /** Bytes of the body. */
  readonly bodyBytes: number;
  /** Whether the client asks to close the connection after the response. */
  readonly closes: boolean;
  /** That of `RequestHead`, once a second request has the same fields. */
  derived: Map<object, unknown> | undefined;
}

/** The largest head that is plain. */
export const maxPlainHeadBytes = 16_384;
const maxFields = 64;
/** Handlers come and go while a connection stays: with more, all results are derived again. */
const maxDerived = 16;

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Path and query of RFC 3986, in origin form. */
const plainTarget = /^\/[\w\-.~!$&'()*+,;=:@%/?]*$/;
/** A token of RFC 9110 without `_`, which other servers read as `-`. */
const plainName = /^[!#$%&'*+\-.^`|~0-9A-Za-z]+$/;
/** Everything that is not visible ASCII, a space or a tab. */
const oddByte = /[^\t\x20-\x7e]/;
const decimal = /^\d{1,15}$/;
const lineFeed = 0x0a;
const versionEnd = " HTTP/1.1";

/** Headers of a message that needs more than one reading of its head. */
const notPlain: ReadonlySet<string> = new Set(["transfer-encoding", "te", "trailer", "upgrade", "expect", "http2-settings"]);

/** Names of headers that clients send, in the usual spellings. */
const knownNames: ReadonlyMap<string, string> = new Map(
  [
    ...["accept", "accept-encoding", "accept-language", "authorization", "cache-control", "connection", "content-length"],
    ...["content-type", "cookie", "dnt", "host", "if-match", "if-modified-since", "if-none-match", "if-range", "origin"],
    ...["pragma", "priority", "range", "referer", "sec-ch-ua", "sec-ch-ua-mobile", "sec-ch-ua-platform", "sec-fetch-dest"],
    ...["sec-fetch-mode", "sec-fetch-site", "sec-fetch-user", "sec-gpc", "traceparent", "tracestate", "user-agent", "via"],
    ...["x-app-name", "x-app-signature", "x-app-timestamp", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"],
    ...["x-request-id", "x-requested-with", "x-session-token"],
  ].flatMap((name) => [
    [name, name],
    [name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase()), name],
  ]),
);

/**
 * Recognises a request that every parser in the world reads in the same way. Returns undefined for every other one, with the first
 * doubt: it is not an error, but another parser's request. `text` has the bytes as Latin-1, from the start of a request on. `last` are
 * the fields of the last request of the connection: clients repeat them, and the same text is not read twice.
 */
export function parsePlainHead(text: string, last?: PlainFields): PlainHead | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0 || end + 4 > maxPlainHeadBytes) return undefined;
  const lineEnd = text.indexOf("\r\n");
  const methodEnd = text.indexOf(" ");
  const targetEnd = lineEnd - versionEnd.length;
  const method = text.slice(0, methodEnd);
  if (!methods.has(method) || methodEnd >= targetEnd || text.slice(targetEnd, lineEnd) !== versionEnd) return undefined;
  const target = text.slice(methodEnd + 1, targetEnd);
  if (!plainTarget.test(target)) return undefined;
  const lines = text.slice(lineEnd + 2, end + 2);
  const fields = last?.text === lines ? last : parsePlainFields(lines);
  if (!fields) return undefined;
  if (fields === last && (fields.derived === undefined || fields.derived.size > maxDerived)) fields.derived = new Map();
  return { method, target, fields, bytes: end + 4 };
}

function parsePlainFields(text: string): PlainFields | undefined {
  const list: string[] = [];
  const names: string[] = [];
  let [bodyBytes, closes] = [0, false];
  for (let at = 0; at < text.length; ) {
    // A carriage return alone is not found in a name or a value below.
    const next = text.indexOf("\r", at);
    const colon = text.indexOf(":", at);
    if (colon < 0 || colon >= next || text.charCodeAt(next + 1) !== lineFeed || names.length >= maxFields) return undefined;
    const sent = text.slice(at, colon);
    const name = knownNames.get(sent) ?? plainNameOf(sent);
    const value = withoutBlanks(text, colon + 1, next);
    if (name === undefined || names.includes(name) || oddByte.test(value)) return undefined;
    if (name === "content-length") {
      if (!decimal.test(value)) return undefined;
      bodyBytes = Number(value);
    } else if (name === "connection") {
      const option = value.toLowerCase();
      if (option !== "keep-alive" && option !== "close") return undefined;
      closes = option === "close";
    }
    names.push(name);
    list.push(sent, value);
    at = next + 2;
  }
  return names.includes("host") ? { text, list, names, bodyBytes, closes, derived: undefined } : undefined;
}

/** Returns an uncommon name in lower case. Undefined if it is not one of a plain head. */
function plainNameOf(sent: string): string | undefined {
  if (!plainName.test(sent)) return undefined;
  const name = sent.toLowerCase();
  return notPlain.has(name) || name.startsWith("proxy-") ? undefined : name;
}
