import type { Duplex } from "node:stream";
import {
  anonymousCaller,
  type BufferLease,
  type Caller,
  type CredentialedRequest,
  HeaderBlock,
  type InboundBody,
  type InboundRequest,
  type MaybePromise,
  type OutboundResponse,
  type ReasonId,
  type RequestContext,
} from "@appserver/kernel";
import type { BreakerPermit } from "../../domain/circuit-breaker.ts";
import type { CompiledRoute, Guard } from "../../domain/compiled-route.ts";
import { parseTarget, type RequestTarget } from "../../domain/request-target.ts";
import type { ServingApp, Tunnel } from "../../ports.ts";
import { bufferBody } from "./request-body.ts";

/** A handshake that switches the connection to another protocol. */
export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** What the platform knows of a request that one of its own parts makes for a caller (docs/interface/mcp.md#routes-of-apps). */
export interface DirectCall {
  /** The authenticated caller. The request has no credentials. */
  readonly caller: Caller;
  /** Throws or rejects if the caller would not be accepted any more. */
  readonly reauthenticate: () => MaybePromise<void>;
  /** The only app and the only pattern that the request may reach. */
  readonly app: string;
  readonly pattern: string;
}

/** A request with its response, and how it came. */
export interface ProxiedMessage {
  readonly request: InboundRequest;
  readonly response: OutboundResponse;
  readonly upgrade?: Upgrade;
  /** Undefined for requests from the network. */
  readonly direct?: DirectCall;
}

/** The matched route and the path to forward. */
export interface Match {
  readonly app: ServingApp;
  readonly route: CompiledRoute;
  /** The guard of the route. Stricter if the app's server may read the path as another route's. */
  readonly guard: Guard;
  /** Path for the upstream: below the base, or complete. Empty, or only a query, for the base itself. */
  readonly path: string;
}

/** Returns what was removed from the public path, for the path that the backend receives. Undefined if it receives the whole path. */
export function publicPrefix({ app: { compiled }, route }: Match): string | undefined {
  return compiled.stripBasePath && route !== compiled.pages ? compiled.basePath : undefined;
}

const noBody = new Uint8Array(0);

/** What the backend receives of the caller's headers. */
export interface Forwarded {
  /** Without that of the length. */
  readonly shared: HeaderBlock;
  /** The declared length of the body. */
  readonly length: string | undefined;
  /** Of these, and of the hops that the request has passed. */
  readonly bytes: number;
}

const nothing: Forwarded = { shared: new HeaderBlock([]), length: undefined, bytes: 0 };

/** One request that passes through the steps, with their results. */
export class ProxiedRequest implements CredentialedRequest {
  readonly request: InboundRequest;
  readonly response: OutboundResponse;
  readonly context: RequestContext;
  readonly upgrade: Upgrade | undefined;
  readonly direct: DirectCall | undefined;
  readonly startedAt: number;
  /** Accounts for the buffered part of the body. Released with the request. */
  readonly lease: BufferLease;
  /** Refuses after the steps have run. Set by the pipeline. */
  readonly refuse: (proxied: ProxiedRequest, error: unknown) => void;
  #match: Match | undefined;
  #wantsBody = false;
  appName: string | undefined;
  caller: Caller = anonymousCaller;
  /** What the backend receives of the caller's headers. Set by a step. */
  forwarded: Forwarded = nothing;
  /** Set if a step had to read the complete body before forwarding. */
  bufferedBody: Uint8Array | undefined;
  /** Name, value, … of the platform's own response headers. */
  limitHeaders: readonly string[] = [];
  /** Whether the app's pages may act as pages of the platform. */
  mayActForOrigin = false;
  /** Whether the backend receives the name and the e-mail address of the user. */
  namesCaller = false;
  /** Whether a developer's backend gets it in place of the app's. */
  isTunnelled = false;
  /** Monotonic milliseconds at which the circuit breaker let it pass. */
  admittedAt = 0;
  permit: BreakerPermit | undefined;
  reasonId: ReasonId | undefined;
  /** Milliseconds from forwarding to the response's headers. */
  upstreamMs: number | undefined;
  /** Whether the client disconnected before its response was complete. */
  isAborted = false;
  /** Whether the connection was switched to another protocol. */
  isSwitched = false;

  constructor(
    message: ProxiedMessage,
    context: RequestContext,
    startedAt: number,
    lease: BufferLease,
    refuse: (proxied: ProxiedRequest, error: unknown) => void,
  ) {
    this.request = message.request;
    this.response = message.response;
    this.upgrade = message.upgrade;
    this.direct = message.direct;
    this.context = context;
    this.startedAt = startedAt;
    this.lease = lease;
    this.refuse = refuse;
  }

  get method(): string {
    return this.request.method;
  }

  get url(): string {
    return this.request.target;
  }

  get derived(): Map<object, unknown> | undefined {
    return this.request.derived;
  }

  get isUpgrade(): boolean {
    return this.upgrade !== undefined;
  }

  get remoteAddress(): string {
    return this.context.remoteAddress;
  }

  /** The host as the client named it. */
  get host(): string | undefined {
    return this.context.host ?? this.header("host");
  }

  /** Undefined if there is none. */
  get body(): InboundBody | undefined {
    return this.upgrade === undefined ? this.request.body : undefined;
  }

  /** Throws if no route was matched yet. */
  get match(): Match {
    if (!this.#match) throw new Error("the request was not matched to a route yet");
    return this.#match;
  }

  /** Sets the match, and acquires its upstream until {@link end}, because the app may get another one before that. */
  matchTo(match: Match): void {
    match.app.upstream.acquire();
    this.#match = match;
  }

  /** Sends the request to the same app after it has started. */
  continueWith(app: ServingApp): void {
    const { match } = this;
    this.matchTo({ ...match, app });
    match.app.upstream.release();
  }

  /** Sends the request to a developer's backend in place of the app's. */
  passThrough({ upstream, forwardKey }: Tunnel): void {
    const { match } = this;
    this.matchTo({ ...match, app: { ...match.app, upstream, forwardKey } });
    match.app.upstream.release();
    this.isTunnelled = true;
  }

  /** Releases the upstream of the request. Called once, when the request has ended on the client's connection or stream. */
  end(): void {
    this.lease.release();
    this.#match?.app.upstream.release();
  }

  get matchedRoute(): CompiledRoute | undefined {
    return this.#match?.route;
  }

  /** Throws a Rejection for a target that is not safe to route. */
  parseTarget(): RequestTarget {
    return parseTarget(this.url, this.header("host"));
  }

  header(name: string): string | undefined {
    const { request } = this;
    return request.header(name) ?? (name === "host" ? request.header(":authority") : undefined);
  }

  readBody(appName: string): MaybePromise<Uint8Array> {
    const { body } = this;
    this.bufferedBody ??= body?.bytes;
    if (this.bufferedBody || !body) return this.bufferedBody ?? noBody;
    this.askForBody();
    this.lease.countFor(appName);
    return bufferBody(body, this.match.app.compiled.maxBodyBytes, this.lease).then((whole) => {
      this.bufferedBody = whole;
      return whole;
    });
  }

  /** Responds to `Expect: 100-continue` if the listener did not. */
  askForBody(): void {
    if (this.context.awaitsContinue === true && !this.#wantsBody) this.response.writeContinue();
    this.#wantsBody = true;
  }

  /** Returns whether the client may be about to send a body that was not requested. */
  get isBodyUnasked(): boolean {
    return this.context.awaitsContinue === true && !this.#wantsBody;
  }
}
