import { pushPlatformHeaders, type RequestFacts } from "../../domain/platform-headers.ts";
import type { ProxiedRequest } from "./proxied-request.ts";

/**
 * Returns the headers for the upstream: the allowed ones of the caller, then the platform's own
 * (docs/interface/proxy.md#request-headers). `now` is epoch ms. `traceparent` is that of the span of this
 * call, if it has one.
 */
export function upstreamHeaders(proxied: ProxiedRequest, now: number, traceparent?: string): string[] {
  const { request, context, caller, forwardedHeaders: headers } = proxied;
  pushPlatformHeaders(headers, {
    requestId: context.requestId,
    remoteAddress: context.remoteAddress,
    protocol: context.protocol ?? ("encrypted" in request.socket ? "https" : "http"),
    host: proxied.host,
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
