import { normalisePath } from "@appserver/contracts/patterns";
import { Rejection } from "@appserver/kernel";

/** A request target that is safe to match, strip and forward. All three use this same string. */
export interface RequestTarget {
  /** Normalised path. Starts with `/`. */
  readonly path: string;
  /** With its `?`, as sent. Empty if there is no query. */
  readonly query: string;
}

/** Printable ASCII except space, `#` and `\`. Browsers do not escape `[`, `{`, `|` and a lone `%` in queries. */
const plainQuery = /^[!"$-[\]-~]*$/;
const origin = /^https?:\/\/([^/?#]*)/i;

/**
 * Checks and normalises a request target once (docs/interface/proxy.md#normalisation; RFC 3986 §6.2.2). Throws Rejection
 * INVALID_REQUEST for targets that two parsers could read in two ways: dot segments, encoded separators and control characters,
 * malformed escapes, or an absolute form that names another host.
 */
export function parseTarget(raw: string, host: string | undefined): RequestTarget {
  const target = raw.startsWith("/") ? raw : originForm(raw, host);
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? "" : target.slice(mark);
  if (!plainQuery.test(query)) throw invalid("the query holds a character that must be percent-encoded");
  return { path: normalised(path), query };
}

/** Throws the same errors as `parseTarget`. */
function normalised(path: string): string {
  try {
    return normalisePath(path);
  } catch (error) {
    throw error instanceof RangeError ? invalid(error.message) : error;
  }
}

/** Strips the origin of an absolute-form target (RFC 9112 §3.2.2) that names this host. */
function originForm(raw: string, host: string | undefined): string {
  const match = origin.exec(raw);
  if (!match || host === undefined || match[1]?.toLowerCase() !== host.toLowerCase()) {
    throw invalid("expected a path, or an absolute URL of this host");
  }
  const rest = raw.slice(match[0].length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function invalid(reason: string): Rejection {
  return new Rejection("INVALID_REQUEST", "target_invalid", `The request target is not valid: ${reason}.`);
}
