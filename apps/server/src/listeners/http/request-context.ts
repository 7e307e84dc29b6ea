import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { MaybePromise } from "@appserver/kernel";

/** What the listener knows of a request before anybody handles it. */
export interface RequestContext {
  /** `^[A-Za-z0-9._-]{1,64}$`: the caller's if it is well formed, else a UUIDv7. */
  readonly requestId: string;
  /** The peer, or what trusted proxies say of it. */
  readonly remoteAddress: string;
  /** How the client came in, where a trusted proxy says so; else as the connection is. */
  readonly protocol?: "http" | "https";
  /** Host and port as the client named them, where a trusted proxy says so. */
  readonly host?: string;
  /** Of the request's span, where spans are recorded. */
  readonly traceparent?: string;
}

/**
 * Takes over whole requests: the proxy, GraphQL. Request and response may be those of HTTP/2's compatibility layer. The
 * handler reads the body and ends the answer itself; what it throws before headers are sent, the listener answers.
 */
export interface RawHandler {
  handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): MaybePromise<void>;
  /** WebSocket upgrades. Without it they are answered 404. */
  handleUpgrade?(request: IncomingMessage, socket: Duplex, head: Buffer, context: RequestContext): MaybePromise<void>;
  /** The server stops: close open WebSockets with 1001. */
  drain?(): void;
}

const validRequestId = /^[A-Za-z0-9._-]{1,64}$/;

/** Returns the inbound request id if it is valid (docs/interface/operations.md#request-ids). */
export function inboundRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" && validRequestId.test(header) ? header : undefined;
}
