import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type MaybePromise, newTraceparent, parseTraceparent, type RequestContext } from "@appserver/kernel";

/**
 * Handles whole requests: the proxy, GraphQL. Request and response may be those of HTTP/2's compatibility layer. The handler
 * reads the body and ends the response itself. The listener sends the error response if the handler throws before headers are
 * sent.
 */
export interface RawHandler {
  handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): MaybePromise<void>;
  /** Handles WebSocket upgrades. Without it they get a 404 response. */
  handleUpgrade?(request: IncomingMessage, socket: Duplex, head: Buffer, context: RequestContext): MaybePromise<void>;
  /** Closes open WebSockets with 1001 when the server stops. */
  drain?(): void;
}

const validRequestId = /^[A-Za-z0-9._-]{1,64}$/;

/** Returns the inbound request id if it is valid (docs/interface/operations.md#request-ids). */
export function inboundRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" && validRequestId.test(header) ? header : undefined;
}

/** Returns the traceparent for events that the request causes, also if no spans are recorded. */
export function traceOf({ headers: { traceparent } }: IncomingMessage, context: RequestContext): string {
  if (context.traceparent !== undefined) return context.traceparent;
  return typeof traceparent === "string" && parseTraceparent(traceparent) ? traceparent : newTraceparent();
}
