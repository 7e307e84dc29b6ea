export interface BrowserContext {
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
  readonly host: string | undefined;
}

/**
 * Whether a browser says that another site caused the request, so that the cookie it carries is no proof of intent.
 * Clients that are no browsers send neither header. Source: security, cross-site WebSocket and CSRF.
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
