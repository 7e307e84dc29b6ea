import type { RequestHead } from "@appserver/kernel";
import type { Span, Tracer } from "@appserver/kernel/ports";
import type { TrustedProxies } from "./trusted-proxies.ts";

export interface RequestSpanFacts {
  /** The pattern, never the path, which may contain secrets. */
  readonly route: string;
  readonly requestId: string;
  /** Clients behind them may decide that a trace is recorded. */
  readonly proxies: TrustedProxies;
}

/**
 * Starts the span of a whole request, with the names of OpenTelemetry's semantic conventions for HTTP. Returns undefined if spans
 * are not recorded.
 */
export function startRequestSpan(
  tracer: Tracer,
  request: RequestHead,
  { route, requestId, proxies }: RequestSpanFacts,
): Span | undefined {
  if (!tracer.enabled) return undefined;
  const { method } = request;
  return tracer.startSpan(`${method} ${route}`, {
    parent: request.header("traceparent"),
    isParentTrusted: proxies.isTrustedPeer(request),
    kind: "server",
    attributes: { "http.request.method": method, "http.route": route, "appserver.request_id": requestId },
  });
}
