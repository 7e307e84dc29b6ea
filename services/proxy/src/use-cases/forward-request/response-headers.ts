import { forwardResponseHeaders } from "../../domain/header-rules.ts";
import type { UpstreamHeaders } from "../../ports.ts";
import type { ProxiedRequest } from "./proxied-request.ts";

/** Returns the headers for the caller, as name, value, …: first the allowed headers of the upstream, then the platform's. */
export function responseHeaders(proxied: ProxiedRequest, status: number, headers: UpstreamHeaders): string[] {
  const { match, limitHeaders, context, mayActForOrigin } = proxied;
  const { basePath, stripBasePath, sessionCookieName } = match.app.compiled;
  const kept = forwardResponseHeaders(headers, {
    sessionCookieName,
    base: basePath,
    stripsBase: stripBasePath,
    isLimited: limitHeaders.length > 0,
    status,
    mayActForOrigin,
    isProtected: !match.guard.isPublic,
    isPage: match.route === match.app.compiled.pages,
  });
  kept.push("X-Request-ID", context.requestId, ...limitHeaders);
  return kept;
}
