import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { anonymousCaller, type BufferLease, type Caller, type MaybePromise } from "@appserver/kernel";
import type { BreakerPermit } from "../../domain/circuit-breaker.ts";
import type { CompiledRoute, Guard } from "../../domain/compiled-route.ts";
import type { ReasonId } from "../../domain/refusal.ts";
import { parseTarget, type RequestTarget } from "../../domain/request-target.ts";
import type { ServingApp } from "../app-directory.ts";
import type { CredentialedRequest } from "../authenticate-caller/credentialed-request.ts";
import { bufferBody, hasBody } from "./request-body.ts";

/** What the listener knows of a request beyond the message. */
export interface RequestContext {
  /** A valid inbound X-Request-ID, or a new one. */
  readonly requestId: string;
  /** The client's address, taken from forwarding headers of trusted proxies only. */
  readonly remoteAddress: string;
  /** How the client came in, where a trusted proxy ended TLS. */
  readonly protocol?: "http" | "https";
  /** Host and port as the client named them, where a trusted proxy says so; else those of the request. */
  readonly host?: string;
  /** Of the listener's span; absent: a valid inbound one passes, else a new one is made. */
  readonly traceparent?: string;
  /** The listener left `Expect: 100-continue` unanswered: the proxy asks for the body only when it wants it. */
  readonly awaitsContinue?: boolean;
}

/** A handshake that wants the connection for another protocol. */
export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** What the route asks to be forwarded as. */
export interface Match {
  readonly app: ServingApp;
  readonly route: CompiledRoute;
  /** The route's, or more where the app's server may read the path as another route's. */
  readonly guard: Guard;
  /** Path for the upstream: below the base, or whole; empty or a query alone for the base itself. */
  readonly path: string;
}

const noBody = new Uint8Array(0);

/** One request on its way through the steps, and what they found out. */
export class Exchange implements CredentialedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly context: RequestContext;
  readonly upgrade: Upgrade | undefined;
  readonly startedAt: number;
  /** Counts what is buffered of the body; released with the exchange. */
  readonly lease: BufferLease;
  /** Refuses after the steps have run: set by the pipeline. */
  readonly refuse: (exchange: Exchange, error: unknown) => void;
  #match: Match | undefined;
  #wantsBody = false;
  appName: string | undefined;
  caller: Caller = anonymousCaller;
  /** Set when something had to read the whole body before it is forwarded. */
  bufferedBody: Uint8Array | undefined;
  /** Name, value, … of the platform's own response headers. */
  limitHeaders: readonly string[] = [];
  /** The app's pages may act as pages of the platform. */
  mayActForOrigin = false;
  permit: BreakerPermit | undefined;
  reasonId: ReasonId | undefined;
  /** Milliseconds from forwarding to the response's headers. */
  upstreamMs: number | undefined;
  /** The client went away before its answer was complete. */
  isAborted = false;

  constructor(
    message: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly upgrade?: Upgrade },
    context: RequestContext,
    startedAt: number,
    lease: BufferLease,
    refuse: (exchange: Exchange, error: unknown) => void,
  ) {
    this.request = message.request;
    this.response = message.response;
    this.upgrade = message.upgrade;
    this.context = context;
    this.startedAt = startedAt;
    this.lease = lease;
    this.refuse = refuse;
  }

  get method(): string {
    return this.request.method ?? "GET";
  }

  get url(): string {
    return this.request.url ?? "/";
  }

  get isUpgrade(): boolean {
    return this.upgrade !== undefined;
  }

  get remoteAddress(): string {
    return this.context.remoteAddress;
  }

  get hasBody(): boolean {
    return this.upgrade === undefined && hasBody(this.request);
  }

  /** Throws when no route was matched yet. */
  get match(): Match {
    if (!this.#match) throw new Error("the request was not matched to a route yet");
    return this.#match;
  }

  set match(match: Match) {
    this.#match = match;
  }

  get matchedRoute(): CompiledRoute | undefined {
    return this.#match?.route;
  }

  /** Throws a Refusal for a target that is not safe to route. */
  parseTarget(): RequestTarget {
    return parseTarget(this.url, this.header("host"));
  }

  header(name: string): string | undefined {
    const { headers } = this.request;
    const value = headers[name] ?? (name === "host" ? headers[":authority"] : undefined);
    return typeof value === "object" ? value.join(", ") : value;
  }

  readBody(): MaybePromise<Uint8Array> {
    if (this.bufferedBody || !this.hasBody) return this.bufferedBody ?? noBody;
    this.askForBody();
    return bufferBody(this.request, this.match.app.compiled.maxBodyBytes, this.lease).then((body) => {
      this.bufferedBody = body;
      return body;
    });
  }

  /** Answers `Expect: 100-continue` where the listener left that to us. */
  askForBody(): void {
    if (this.context.awaitsContinue === true && !this.#wantsBody) this.response.writeContinue();
    this.#wantsBody = true;
  }

  /** Whether the client may be about to send a body that nobody asked for. */
  get isBodyUnasked(): boolean {
    return this.context.awaitsContinue === true && !this.#wantsBody;
  }
}
