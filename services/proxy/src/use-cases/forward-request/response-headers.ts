import { ownSources } from "@appserver/kernel";
import { forwardResponseHeaders } from "../../domain/header-rules.ts";
import type { UpstreamHeaders } from "../../ports.ts";
import { type ProxiedRequest, publicPrefix } from "./proxied-request.ts";

/** Returns the headers for the caller, as name, value, …: first the allowed headers of the upstream, then the platform's. */
export function responseHeaders(proxied: ProxiedRequest, status: number, headers: UpstreamHeaders): string[] {
  const { match, limitHeaders, context, mayActForOrigin } = proxied;
  const { basePath, stripBasePath, sessionCookieName } = match.app.compiled;
  const isPage = match.route === match.app.compiled.pages;
  const kept = forwardResponseHeaders(headers, {
    sessionCookieName,
    base: basePath,
    stripsBase: stripBasePath,
    isLimited: limitHeaders.length > 0,
    status,
    mayActForOrigin,
    isProtected: !match.guard.isPublic,
    pageFiles: isPage ? filesOf(proxied) : undefined,
    addresses: {
      upstream: match.app.upstream,
      prefix: publicPrefix(match) ?? "",
      isBase: !match.path.startsWith("/"),
    },
  });
  if (proxied.isTunnelled) preventCaching(kept);
  kept.push("X-Request-ID", context.requestId, ...limitHeaders);
  return kept;
}

/** Returns where the files of the app are: its page, and its assets. */
function filesOf({ context, match }: ProxiedRequest): string {
  return ownSources(context.origins ?? [], [`/apps/${match.app.name}/`]);
}

/** No cache may give what a developer's backend sends to another user. */
function preventCaching(headers: string[]): void {
  for (let i = headers.length - 2; i >= 0; i -= 2)
    if (/^(?:[\w-]*cache-control|expires|age)$/i.test(headers[i] ?? "")) headers.splice(i, 2);
  headers.push("Cache-Control", "private, no-store");
}
