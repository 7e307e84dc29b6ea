/** The headers in which a browser reports the page that caused a request. Other clients send neither header. */
export interface BrowserContext {
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
  /** Host and port as the client sent them. */
  readonly host: string | undefined;
}

/**
 * Returns whether a browser reports that a page of another site caused the request. Its cookie then does not prove the user's
 * intent (docs/interface/permissions.md#cross-site).
 *
 * `Sec-Fetch-Site` counts first: the browser sets it by comparing the page with the URL that it requests, and no page can change
 * it. `Origin` is less exact. It is `null` for an own page with `Referrer-Policy: no-referrer`, as it is for the sandboxed page of
 * an app (which is `cross-site`), and it cannot be compared if a reverse proxy replaced `Host`.
 */
export function isCrossSite(context: BrowserContext, allowedOrigins: ReadonlySet<string>): boolean {
  const { origin, secFetchSite, host } = context;
  if (secFetchSite === "same-origin") return false;
  // `none` names no page: the user entered an address. Browsers send no `Sec-Fetch-Site` to hosts without TLS, except localhost.
  if (secFetchSite === undefined || secFetchSite === "none")
    return origin !== undefined && isForeignOrigin(origin, host, allowedOrigins);
  return origin === undefined || !allowedOrigins.has(origin);
}

/** Returns whether the origin is neither the server's own, by the host that the request names, nor an allowed one. */
export function isForeignOrigin(origin: string, host: string | undefined, allowedOrigins: ReadonlySet<string>): boolean {
  if (allowedOrigins.has(origin)) return false;
  const own = host?.toLowerCase();
  return own === undefined || (origin !== `http://${own}` && origin !== `https://${own}`);
}
