import { forwardRequestHeaders } from "../../domain/header-rules.ts";
import { pushPlatformHeaders, type RequestFacts } from "../../domain/platform-headers.ts";
import type { ProxiedRequest } from "./proxied-request.ts";

const handshakeHeader = /^sec-websocket-(?:key|version|protocol|extensions)$/i;

/**
 * Returns the headers for the upstream: the allowed ones of the caller, then the platform's own
 * (docs/interface/proxy.md#request-headers). `now` is epoch ms. `traceparent` is that of the span of this
 * call, if it has one.
 */
export function upstreamHeaders(proxied: ProxiedRequest, now: number, traceparent?: string): string[] {
  const { request, context, caller, match } = proxied;
  const headers = forwardRequestHeaders(request.rawHeaders, match.app.compiled.forwardable, request.headers.connection);
  if (proxied.isUpgrade) pushHandshake(headers, request.rawHeaders);
  pushPlatformHeaders(headers, {
    requestId: context.requestId,
    remoteAddress: context.remoteAddress,
    protocol: context.protocol ?? ("encrypted" in request.socket ? "https" : "http"),
    host: context.host ?? proxied.header("host"),
    caller,
    traceparent: traceparent ?? context.traceparent,
    ...signing(proxied, now),
  });
  return headers;
}

function signing({ method, match: { app, path } }: ProxiedRequest, now: number): Pick<RequestFacts, "signing"> {
  const { forwardKey: key, upstream } = app;
  if (!key) return {};
  return { signing: { key, seconds: Math.floor(now / 1_000), method, target: upstream.target(path) } };
}

function pushHandshake(headers: string[], raw: readonly string[]): void {
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? "";
    if (handshakeHeader.test(name)) headers.push(name, raw[i + 1] ?? "");
  }
}
