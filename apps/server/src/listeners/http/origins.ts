import type { IncomingMessage } from "node:http";
import { AppError } from "@appserver/kernel";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** Decides which web pages may send requests to the server (docs/interface/rest.md#cross-origin-requests). */
export class Origins {
  readonly #allowed: ReadonlySet<string>;

  /** `allowed`: origins beside the server's own: `https://console.example.com`. Never `*`. */
  constructor(allowed: readonly string[]) {
    if (allowed.includes("*")) throw new Error("allowed origins are named one by one; * would admit every page with cookies");
    this.#allowed = new Set(allowed);
  }

  /** Whether the request comes from a page of the server's own origin, of an allowed one, or from no page at all. */
  admits(request: IncomingMessage): boolean {
    const { origin } = request.headers;
    return origin === undefined || this.isAllowed(origin) || isOwn(origin, request);
  }

  /** Whether a page of another origin was allowed by configuration; only such get CORS headers. */
  isAllowed(origin: string): boolean {
    return this.#allowed.has(origin);
  }

  /**
   * Whether a foreign page makes a browser send this with the user's cookies to change something; with `withoutCookies` also
   * without them: where the answer's cookie counts from then on, and where callers without credentials may act.
   */
  isForgery(request: IncomingMessage, withoutCookies: boolean = false): boolean {
    if (safeMethods.has(request.method ?? "") || (request.headers.cookie === undefined && !withoutCookies)) return false;
    if (request.headers.origin !== undefined) return !this.admits(request);
    const site = request.headers["sec-fetch-site"];
    return site === "cross-site" || site === "same-site";
  }
}

function isOwn(origin: string, request: IncomingMessage): boolean {
  const host = hostOf(request);
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}

/** Host and port as the client named them, on either protocol version. */
export function hostOf(request: IncomingMessage): string | undefined {
  const authority = request.headers[":authority"];
  return typeof authority === "string" ? authority : request.headers.host;
}

/**
 * Throws INVALID_REQUEST for a request that names two hosts: which of them counts, readers disagree about (RFC 9112 §3.2, and
 * RFC 9113 §8.3.1 for `:authority` beside `host`).
 */
export function requireOneHost(request: IncomingMessage): void {
  const { rawHeaders } = request;
  let host: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length !== 4 && name !== ":authority") continue;
    if (name !== ":authority" && name.toLowerCase() !== "host") continue;
    const value = rawHeaders[index + 1];
    const isRepeated = host !== undefined && (request.httpVersionMajor === 1 || host !== value);
    if (isRepeated) throw new AppError("INVALID_REQUEST", "the request names more than one host");
    host = value;
  }
}
