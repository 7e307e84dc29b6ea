import { AppError, isCrossSite, isForeignOrigin, type RequestHead } from "@appserver/kernel";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** Decides which web pages may send requests to the server (docs/interface/rest.md#cross-origin-requests). */
export class Origins {
  readonly #allowed: ReadonlySet<string>;

  /** `allowed`: origins in addition to the server's own, such as `https://console.example.com`. Never `*`. */
  constructor(allowed: readonly string[]) {
    if (allowed.includes("*")) throw new Error("allowed origins are named one by one; * would admit every page with cookies");
    this.#allowed = new Set(allowed);
  }

  /** Returns whether the request comes from a page of the server's own origin, of an allowed one, or not from a page. */
  admits(request: RequestHead): boolean {
    const origin = request.header("origin");
    return origin === undefined || !isForeignOrigin(origin, hostOf(request), this.#allowed);
  }

  /** Returns whether the configuration allows this other origin. Only allowed origins get CORS headers. */
  isAllowed(origin: string): boolean {
    return this.#allowed.has(origin);
  }

  /**
   * Returns whether a page of another origin makes a browser send a change with the user's cookies. With `withoutCookies` it
   * also detects requests without cookies: for responses that set a cookie, and where callers without credentials have
   * permissions.
   */
  isForgery(request: RequestHead, withoutCookies: boolean = false): boolean {
    if (safeMethods.has(request.method) || (request.header("cookie") === undefined && !withoutCookies)) return false;
    const [origin, secFetchSite] = [request.header("origin"), request.header("sec-fetch-site")];
    return isCrossSite({ origin, secFetchSite, host: hostOf(request) }, this.#allowed);
  }
}

/** Returns host and port as the client sent them, on either protocol version. */
export function hostOf(request: RequestHead): string | undefined {
  return request.header(":authority") ?? request.header("host");
}

/**
 * Throws INVALID_REQUEST for a request with two host names, because implementations disagree about which one counts (RFC 9112
 * §3.2, and RFC 9113 §8.3.1 for `:authority` with `host`).
 */
export function requireOneHost({ fields, httpVersion }: RequestHead): void {
  let host: string | undefined;
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] ?? "";
    if (name.length !== 4 && name !== ":authority") continue;
    if (name !== ":authority" && name.toLowerCase() !== "host") continue;
    const value = fields[index + 1];
    const isRepeated = host !== undefined && (httpVersion !== "2.0" || host !== value);
    if (isRepeated) throw new AppError("INVALID_REQUEST", "the request names more than one host");
    host = value;
  }
}
