import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import {
  type InboundRequest,
  type MaybePromise,
  newTraceparent,
  type OutboundResponse,
  parseTraceparent,
  type RequestContext,
  type RequestHead,
  uuidv7,
} from "@appserver/kernel";
import type { Span } from "@appserver/kernel/ports";
import type { Client } from "./trusted-proxies.ts";

/**
 * Handles whole requests, from whichever server read them: the proxy, assets. The handler reads the body and ends the response. The
 * listener sends the error response if the handler throws before the head is sent.
 */
export interface RequestHandler {
  handle(request: InboundRequest, response: OutboundResponse, context: RequestContext): MaybePromise<void>;
}

/** What carries a WebSocket: its connection, and the bytes that came behind the handshake. */
export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** The handler of the proxy. */
export interface ProxyHandler extends RequestHandler {
  /** Handles a WebSocket handshake. `response` is for a refusal. Without it handshakes get a 404 response. */
  handleUpgrade?(request: InboundRequest, response: OutboundResponse, upgrade: Upgrade, context: RequestContext): void;
  /** Called when the server stops. */
  drain?(): void;
}

/** The handler of GraphQL. */
export interface GraphqlHandler extends RequestHandler {
  /** Handles WebSocket upgrades. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, context: RequestContext): MaybePromise<void>;
  /** Closes open WebSockets with 1001 when the server stops. */
  drain(): void;
}

/**
 * Handles whole requests of Node's server: REST. Request and response may be those of HTTP/2's compatibility layer. The handler
 * reads the body and ends the response itself. The listener sends the error response if the handler throws before headers are
 * sent.
 */
export interface RawHandler {
  handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): MaybePromise<void>;
  /** Called when the server stops. */
  drain?(): void;
}

const validRequestId = /^[A-Za-z0-9._-]{1,64}$/;

/** Returns the inbound request id if it is valid, else a new one (docs/interface/operations.md#request-ids). */
export function requestIdOf(request: RequestHead): string {
  const inbound = request.header("x-request-id");
  return inbound !== undefined && validRequestId.test(inbound) ? detached(inbound) : uuidv7();
}

/** Returns a copy that does not keep the whole head in memory, because the text outlives its request. It must be ASCII. */
function detached(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

/** What a request's context is made of. */
interface ContextParts {
  readonly requestId: string;
  readonly client: Client;
  /** Those of {@link RequestContext}. */
  readonly origins: () => readonly string[];
  /** The span of the whole request, if spans are recorded. */
  readonly span: Span | undefined;
  readonly awaitsContinue: boolean;
}

/** The context of a request of the HTTP listener. The trace is determined at its first use, once. */
export class InboundContext implements RequestContext {
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly protocol: "http" | "https" | undefined;
  readonly host: string | undefined;
  readonly awaitsContinue: boolean;
  readonly #span: Span | undefined;
  readonly #inbound: string | undefined;
  readonly #origins: () => readonly string[];
  #traceparent: string | undefined;

  constructor(request: RequestHead, { requestId, client, origins, span, awaitsContinue }: ContextParts) {
    this.requestId = requestId;
    this.remoteAddress = client.remoteAddress;
    this.protocol = client.protocol;
    this.host = client.host;
    this.awaitsContinue = awaitsContinue;
    this.#span = span;
    this.#inbound = request.header("traceparent");
    this.#origins = origins;
  }

  get origins(): readonly string[] {
    return this.#origins();
  }

  get hasSpan(): boolean {
    return this.#span !== undefined;
  }

  get traceparent(): string {
    this.#traceparent ??= this.#span?.traceparent ?? inboundTrace(this.#inbound) ?? newTraceparent();
    return this.#traceparent;
  }
}

function inboundTrace(header: string | undefined): string | undefined {
  return header !== undefined && parseTraceparent(header) ? detached(header) : undefined;
}
