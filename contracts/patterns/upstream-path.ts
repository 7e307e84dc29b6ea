import { normalisePath } from "./normalise-path.ts";
import { problemOf } from "./problem.ts";
import { quote } from "./quote.ts";

const plainQuery = /^[!$-;=?-Z_a-z~[\]]*$/;

/**
 * Checks the path and query of a request that the platform itself sends to an app's backend: a health check, a hook,
 * `openapi_url`. A valid path is unambiguous, stays below the upstream's base and names no other host. Returns the problem, or
 * undefined.
 */
export function upstreamPathProblem(path: string): string | undefined {
  return problemOf(() => normaliseUpstreamPath(path));
}

/** Returns the URL of `path` below the base URL of an upstream. Throws RangeError for a path that `upstreamPathProblem` refuses. */
export function upstreamUrl(base: string, path: string): URL {
  const { origin, pathname } = new URL(base);
  return new URL(`${origin}${pathname.replace(/\/+$/, "")}${normaliseUpstreamPath(path)}`);
}

function normaliseUpstreamPath(text: string): string {
  const mark = text.indexOf("?");
  const path = mark < 0 ? text : text.slice(0, mark);
  const query = mark < 0 ? "" : text.slice(mark);
  const refuse = (reason: string): RangeError => new RangeError(`must start with one "/" and ${reason}, got ${quote(text)}`);
  if (!path.startsWith("/") || path.includes("//")) throw refuse("contain no empty segment");
  if (/[\\#\p{C}\p{Z}]/u.test(text) || !plainQuery.test(query.slice(1)))
    throw refuse("contain no backslash, fragment, space or control character");
  try {
    return normalisePath(encodeURI(path).replaceAll("%25", "%")) + query;
  } catch (error) {
    throw refuse(error instanceof Error ? `be a path below the upstream's base (${error.message})` : "be a path");
  }
}
