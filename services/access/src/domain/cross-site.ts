export interface BrowserContext {
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
  readonly host: string | undefined;
}

/**
 * Returns whether a browser reports that a page of another site caused the request. Its cookie then does not prove the user's
 * intent (docs/interface/permissions.md#cross-site). Clients that are not browsers send neither header.
 *
 * The HTTP listener has a stricter rule for unsafe requests, `Origins.isForgery`. Browsers get the same result from both. The
 * results differ for an `Origin` with a default port or another scheme than http(s), and for a host in upper case.
 */
export function isCrossSite(context: BrowserContext, allowedOrigins: ReadonlySet<string>): boolean {
  if (context.origin !== undefined) {
    return !allowedOrigins.has(context.origin) && hostOf(context.origin) !== context.host?.toLowerCase();
  }
  return context.secFetchSite === "cross-site" || context.secFetchSite === "same-site";
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
