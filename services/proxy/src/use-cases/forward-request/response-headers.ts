import { brandingPaths } from "@appserver/contracts/branding";
import { HeaderBlock, ownSources } from "@appserver/kernel";
import type { Guard } from "../../domain/compiled-route.ts";
import { forwardResponseHeaders, type PageSources } from "../../domain/header-rules.ts";
import type { ServingApp, UpstreamHeaders } from "../../ports.ts";
import { type Match, type ProxiedRequest, publicPrefix } from "./proxied-request.ts";

/** Returns the headers for the caller, as name, value, …: those of {@link sharedHeaders}, then those of this response alone. */
export function responseHeaders(proxied: ProxiedRequest, status: number, headers: UpstreamHeaders): string[] {
  return [...forwarded(proxied, status, headers), ...ownHeaders(proxied)];
}

/** Returns what differs from response to response. */
export function ownHeaders({ context, limitHeaders }: ProxiedRequest): string[] {
  return ["X-Request-ID", context.requestId, ...limitHeaders];
}

/** What the caller gets of a head, and all that it depends on besides that head and its route. */
interface KnownHeaders {
  readonly app: ServingApp;
  readonly guard: Guard;
  readonly mayActForOrigin: boolean;
  readonly isLimited: boolean;
  readonly isBase: boolean;
  readonly block: HeaderBlock;
}

/**
 * Returns the allowed headers of the upstream, and those that the platform sets for browsers. `derived`: see `UpstreamReceiver`. Pages
 * are not kept, because their policy names the origin of the request.
 */
export function sharedHeaders(
  proxied: ProxiedRequest,
  status: number,
  headers: UpstreamHeaders,
  derived: Map<object, unknown> | undefined,
): HeaderBlock {
  const { match, mayActForOrigin, limitHeaders, isTunnelled } = proxied;
  const { app, guard, route } = match;
  if (derived === undefined || isTunnelled || isPage(match)) return new HeaderBlock(forwarded(proxied, status, headers));
  const isLimited = limitHeaders.length > 0;
  const isBase = isBasePath(match);
  const known = derived.get(route) as KnownHeaders | undefined;
  if (
    known?.app === app &&
    known.guard === guard &&
    known.mayActForOrigin === mayActForOrigin &&
    known.isLimited === isLimited &&
    known.isBase === isBase
  )
    return known.block;
  const block = new HeaderBlock(forwarded(proxied, status, headers));
  derived.set(route, { app, guard, mayActForOrigin, isLimited, isBase, block } satisfies KnownHeaders);
  return block;
}

function forwarded(proxied: ProxiedRequest, status: number, headers: UpstreamHeaders): string[] {
  const { match, limitHeaders, mayActForOrigin } = proxied;
  const { basePath, stripBasePath, sessionCookieName } = match.app.compiled;
  const kept = forwardResponseHeaders(headers, {
    sessionCookieName,
    base: basePath,
    stripsBase: stripBasePath,
    isLimited: limitHeaders.length > 0,
    status,
    mayActForOrigin,
    isProtected: !match.guard.isPublic,
    pageSources: isPage(match) ? sourcesOf(proxied) : undefined,
    addresses: { upstream: match.app.upstream, prefix: publicPrefix(match) ?? "", isBase: isBasePath(match) },
  });
  if (proxied.isTunnelled) preventCaching(kept);
  return kept;
}

function isPage({ route, app }: Match): boolean {
  return route === app.compiled.pages;
}

function isBasePath({ path }: Match): boolean {
  return !path.startsWith("/");
}

/** Returns where the files of the app are, its page and its assets, and the style sheet for pages of apps. */
function sourcesOf({ context: { origins = [] }, match }: ProxiedRequest): PageSources {
  return { files: ownSources(origins, [`/apps/${match.app.name}/`]), styles: ownSources(origins, [brandingPaths.app]) };
}

/** No cache may give what a developer's backend sends to another user. */
function preventCaching(headers: string[]): void {
  for (let i = headers.length - 2; i >= 0; i -= 2)
    if (/^(?:[\w-]*cache-control|expires|age)$/i.test(headers[i] ?? "")) headers.splice(i, 2);
  headers.push("Cache-Control", "private, no-store");
}
