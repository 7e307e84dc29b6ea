import { personTexts } from "../../domain/person-texts.ts";
import { pushPlatformHeaders, type RequestFacts } from "../../domain/platform-headers.ts";
import { type ProxiedRequest, publicPrefix } from "./proxied-request.ts";

/**
 * Returns the headers for the upstream that are of this request alone: the length of its body, and the platform's own
 * (docs/interface/proxy.md#request-headers). `now` is epoch ms. `traceparent` is that of the span of this
 * call, if it has one.
 */
export function upstreamHeaders(proxied: ProxiedRequest, now: number, traceparent?: string): string[] {
  const { request, context, caller, forwarded } = proxied;
  const headers = forwarded.length === undefined ? [] : ["content-length", forwarded.length];
  pushPlatformHeaders(headers, {
    requestId: context.requestId,
    remoteAddress: context.remoteAddress,
    protocol: context.protocol ?? (request.isEncrypted ? "https" : "http"),
    host: proxied.host,
    prefix: publicPrefix(proxied.match),
    via: via(proxied),
    caller,
    person: proxied.namesCaller ? personTexts(caller) : undefined,
    traceparent: traceparent ?? context.traceparent,
    ...signing(proxied, now),
  });
  return headers;
}

/** Adds this hop to those that the request has passed (RFC 9110 §7.6.3). */
function via(proxied: ProxiedRequest): string {
  const hop = `${proxied.request.httpVersion} appserver`;
  const passed = proxied.header("via");
  return passed ? `${passed}, ${hop}` : hop;
}

function signing({ method, match: { app, path } }: ProxiedRequest, now: number): Pick<RequestFacts, "signing"> {
  const { forwardKey: key, upstream } = app;
  if (!key) return {};
  return { signing: { key, seconds: Math.floor(now / 1_000), method, target: upstream.target(path) } };
}
