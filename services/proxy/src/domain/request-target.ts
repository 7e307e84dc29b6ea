import { Refusal } from "./refusal.ts";

/** A request target that is safe to match, strip and forward: all three use this same string. */
export interface RequestTarget {
  /** Normalised path, beginning with `/`. */
  readonly path: string;
  /** With its `?`, as sent; empty when there is none. */
  readonly query: string;
}

const plainPath = /^(?:\/[A-Za-z0-9\-._~!$&'()*+,;=:@]*)+$/;
const escapedPath = /^(?:\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})*)+$/;
/** Encoded slash, backslash, control characters: upstreams disagree on what they mean. */
const forbiddenEscape = /%(?:2f|5c|[01][0-9a-f]|7f)/i;
/** Also `/..;x`, which servlet containers read as `/..`. */
const dotSegment = /\/\.{1,2}(?:[/;]|$)/;
/** Printable ASCII except space, `#` and `\`. Browsers leave `[`, `{`, `|` and a lone `%` raw in queries. */
const plainQuery = /^[!"$-[\]-~]*$/;
/** What an upstream decodes without a change of meaning. `;` and `+` mean something raw to some, so they stay. */
const harmless = /[A-Za-z0-9\-._~!$&'()*,=:@]/;
const origin = /^https?:\/\/([^/?#]*)/i;

/**
 * Checks and normalises a request target, once. Throws Refusal INVALID_REQUEST for what two parsers could read in two
 * ways: dot segments, encoded separators and control characters, malformed escapes, another host's absolute form.
 * Source: behaviour "Proxy", Path; RFC 3986 §6.2.2.
 */
export function parseTarget(raw: string, host: string | undefined): RequestTarget {
  const target = raw.startsWith("/") ? raw : originForm(raw, host);
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? "" : target.slice(mark);
  if (!plainQuery.test(query)) throw invalid("the query holds a character that must be percent-encoded");
  return { path: normalisePath(path), query };
}

/** The path with escapes of harmless characters resolved and all others in upper case. Throws as `parseTarget`. */
export function normalisePath(path: string): string {
  if (plainPath.test(path)) return path.includes("/.") ? withoutDotSegments(path) : path;
  if (!escapedPath.test(path)) throw invalid("the path holds a malformed escape or a character that must be percent-encoded");
  if (forbiddenEscape.test(path)) throw invalid("the path holds an encoded slash, backslash or control character");
  if (!isUtf8(path)) throw invalid("the path holds escapes that are not UTF-8");
  return withoutDotSegments(path.replace(/%[0-9A-Fa-f]{2}/g, normaliseEscape));
}

function normaliseEscape(triplet: string): string {
  const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
  return harmless.test(character) ? character : triplet.toUpperCase();
}

function withoutDotSegments(path: string): string {
  if (dotSegment.test(path)) throw invalid("the path holds a dot segment");
  return path;
}

function isUtf8(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Strips the origin of an absolute-form target (RFC 9112 §3.2.2) that names this very host. */
function originForm(raw: string, host: string | undefined): string {
  const match = origin.exec(raw);
  if (!match || host === undefined || match[1]?.toLowerCase() !== host.toLowerCase()) {
    throw invalid("expected a path, or an absolute URL of this host");
  }
  const rest = raw.slice(match[0].length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function invalid(reason: string): Refusal {
  return new Refusal("INVALID_REQUEST", "target_invalid", `The request target is not valid: ${reason}.`);
}
