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
 */
export function isCrossSite(context: BrowserContext, allowedOrigins: ReadonlySet<string>): boolean {
  const { origin, secFetchSite, host } = context;
  if (origin !== undefined) return isForeignOrigin(origin, host, allowedOrigins);
  return secFetchSite === "cross-site" || secFetchSite === "same-site";
}

/** Returns whether the origin is neither the server's own, by the host that the request names, nor an allowed one. */
export function isForeignOrigin(origin: string, host: string | undefined, allowedOrigins: ReadonlySet<string>): boolean {
  if (allowedOrigins.has(origin)) return false;
  const own = host?.toLowerCase();
  return own === undefined || (origin !== `http://${own}` && origin !== `https://${own}`);
}
