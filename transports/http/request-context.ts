import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import {
  type BodyPace,
  type MaybePromise,
  newTraceparent,
  parseTraceparent,
  type RequestContext,
  uuidv7,
} from "@appserver/kernel";
import type { Span } from "@appserver/kernel/ports";
import type { Client } from "./trusted-proxies.ts";

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

/** Returns the inbound request id if it is valid, else a new one (docs/interface/operations.md#request-ids). */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const inbound = headers["x-request-id"];
  return typeof inbound === "string" && validRequestId.test(inbound) ? inbound : uuidv7();
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
  readonly pace: BodyPace | undefined;
}

/** The context of a request of the HTTP listener. The trace is determined at its first use, once. */
export class InboundContext implements RequestContext {
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly protocol: "http" | "https" | undefined;
  readonly host: string | undefined;
  readonly awaitsContinue: boolean;
  readonly pace: BodyPace | undefined;
  readonly #span: Span | undefined;
  readonly #inbound: string | string[] | undefined;
  readonly #origins: () => readonly string[];
  #traceparent: string | undefined;

  constructor(
    { headers }: Pick<IncomingMessage, "headers">,
    { requestId, client, origins, span, awaitsContinue, pace }: ContextParts,
  ) {
    this.requestId = requestId;
    this.remoteAddress = client.remoteAddress;
    this.protocol = client.protocol;
    this.host = client.host;
    this.awaitsContinue = awaitsContinue;
    this.pace = pace;
    this.#span = span;
    this.#inbound = headers["traceparent"];
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

function inboundTrace(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" && parseTraceparent(header) ? header : undefined;
}
