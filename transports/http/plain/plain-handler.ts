import type { InboundRequest, OutboundResponse } from "@appserver/kernel";

/** What handles plain requests. */
export interface PlainHandler<Route> {
  /** Returns the route of a target. Requests of other targets are not plain. */
  find(target: string): Route | undefined;
  handle(request: InboundRequest, response: OutboundResponse, route: Route): void;
}

/** Milliseconds and bytes (docs/interface/limits.md#listeners). */
export interface PlainLimits {
  readonly headersTimeoutMs: number;
  /** Of each pause of a body; 0: none. */
  readonly readTimeoutMs: number;
  readonly writeTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxHeaderBytes: number;
}
