/** Host and port that a source expression can have: a policy has no form for addresses of IPv6. */
const sourceHost = /^[A-Za-z0-9.-]+(?::\d{1,5})?$/;

/** Returns an origin that a Content-Security-Policy can name. Undefined for other hosts. */
export function sourceOrigin(protocol: "http" | "https", host: string | undefined): string | undefined {
  return host !== undefined && sourceHost.test(host) ? `${protocol}://${host}` : undefined;
}

/**
 * Returns the source expressions of a Content-Security-Policy for paths of the platform. A policy cannot name a path without its origin:
 * if no origin is known, they are the whole origin of the document.
 *
 * @param origins - Where browsers reach the platform.
 */
export function ownSources(origins: readonly string[], paths: readonly string[]): string {
  if (origins.length === 0) return "'self'";
  return origins.flatMap((origin) => paths.map((path) => origin + path)).join(" ");
}
