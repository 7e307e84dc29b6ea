import type { Duplex } from "node:stream";
import { redirectsHeader, refusedRedirects } from "@appserver/contracts/forwarding";
import { type Clock, Deadlines, type PendingDeadline, type ReasonId, Rejection } from "@appserver/kernel";
import type { FailureKind } from "../../domain/circuit-breaker.ts";
import { hasNoContent, joinedValues } from "../../domain/header-rules.ts";
import type { Span, Tracer, UpstreamCall, UpstreamFailure, UpstreamHeaders, UpstreamReceiver } from "../../ports.ts";
import { joinUpgraded } from "./join-upgraded.ts";
import type { ProxiedRequest } from "./proxied-request.ts";
import { RequestBody, RequestBodyError } from "./request-body.ts";
import { ownHeaders, sharedHeaders } from "./response-headers.ts";
import type { Step } from "./step.ts";
import type { StreamRechecks } from "./stream-rechecks.ts";
import { upstreamHeaders } from "./upstream-headers.ts";

export interface ForwardDeps {
  readonly clock: Clock;
  readonly tracer: Tracer;
  /** Called for every upgraded connection, so that stopping can end it. */
  readonly onUpgraded: (client: Duplex) => void;
  /** Repeats the checks of long-lived requests: upgraded connections, long uploads, and responses of unknown length. */
  readonly rechecks: StreamRechecks;
}

/** Those of all requests in progress, to a tenth of a second. */
const deadlines = new Deadlines(50);

/** After this time the checks of an upload are repeated. */
const longUploadMs = 30_000;

/** Forwards the request and streams the response back (docs/interface/proxy.md#timeouts-and-failures). */
export function forward(deps: ForwardDeps): Step {
  return (proxied) => new Forwarding(proxied, deps).start();
}

/** Transfers one request between client and upstream, with back-pressure and aborts in both directions. */
class Forwarding implements UpstreamReceiver, PendingDeadline {
  readonly #proxied: ProxiedRequest;
  readonly #deps: ForwardDeps;
  #call: UpstreamCall | undefined;
  #body: RequestBody | undefined;
  readonly limitMs: number;
  hasProgressed = true;
  dueAt = 0;
  place = -1;
  #span: Span | undefined;
  #isOver = false;
  #isPaused = false;
  /** Whether the status allows no content. What the backend sends is read and dropped. */
  #isContentDropped = false;
  #stopRechecks: (() => void) | undefined;
  /** Bytes until the response is complete. NaN if the length is unknown. */
  #bytesLeft = Number.NaN;

  constructor(proxied: ProxiedRequest, deps: ForwardDeps) {
    this.#proxied = proxied;
    this.#deps = deps;
    this.limitMs = proxied.match.route.timeoutMs;
  }

  start(): void {
    const { app, path } = this.#proxied.match;
    if (this.#deps.tracer.enabled) this.#span = startSpan(this.#proxied, this.#deps.tracer);
    const { response } = this.#proxied;
    response.onClose(this.#onClientClose);
    response.onDrain(this.#onClientDrain);
    deadlines.add(this);
    const request = {
      method: this.#proxied.method,
      path,
      shared: this.#proxied.forwarded.shared,
      headers: upstreamHeaders(this.#proxied, this.#deps.clock.now(), this.#span?.traceparent),
      body: this.#proxied.bufferedBody ?? this.#takeBody(),
    };
    app.upstream.send(this.#proxied.isUpgrade ? { ...request, upgrade: "websocket" } : request, this);
  }

  onStart(call: UpstreamCall): void {
    this.#call = call;
    if (this.#isOver) call.abort();
  }

  onHead(status: number, headers: UpstreamHeaders, derived?: Map<object, unknown>): void {
    if (this.#isOver) return;
    const proxied = this.#proxied;
    this.#settle(status);
    this.#span?.setAttribute("http.response.status_code", status);
    if (joinedValues(headers, "content-type")?.includes("text/event-stream") === true) deadlines.remove(this);
    else this.hasProgressed = true;
    if (status > 300 && status < 400 && status !== 304 && proxied.header(redirectsHeader) === refusedRedirects) {
      this.#fail(new Rejection("UPSTREAM_ERROR", "upstream_redirected", "The app's backend answered with a redirection."));
      return;
    }
    this.#isContentDropped = hasNoContent(status);
    const length = this.#isContentDropped ? undefined : joinedValues(headers, "content-length");
    this.#bytesLeft = length !== undefined && proxied.method !== "HEAD" && status !== 304 ? Number(length) : Number.NaN;
    if (!this.#writeHead(status, headers, derived)) return;
    // Small responses leave in one piece with their headers. Headers of a stream must not wait for its first event.
    if (Number.isNaN(this.#bytesLeft)) {
      setImmediate(this.#flushHead);
      this.#recheck();
    }
  }

  onData(chunk: Buffer, mayKeep: boolean): boolean {
    if (this.#isOver) return false;
    const { response } = this.#proxied;
    this.hasProgressed = true;
    if (this.#isContentDropped) return false;
    this.#bytesLeft -= chunk.length;
    if (this.#bytesLeft === 0) {
      this.#complete(chunk, mayKeep);
    } else if (!response.write(chunk, mayKeep)) {
      this.#isPaused = true;
      this.#call?.pause();
    }
    return response.hasUnsent;
  }

  onEnd(): void {
    if (!this.#isOver) this.#complete(undefined);
  }

  onUpgrade(headers: UpstreamHeaders, socket: Duplex): void {
    if (this.#isOver) {
      socket.destroy();
      return;
    }
    this.#end();
    this.#settle(101);
    const proxied = this.#proxied;
    joinUpgraded(proxied, headers, socket);
    if (!proxied.upgrade) return;
    const { socket: client } = proxied.upgrade;
    this.#deps.onUpgraded(client);
    const leave = this.#deps.rechecks(proxied, () => client.destroy());
    client.once("close", leave);
  }

  onError(failure: UpstreamFailure): void {
    if (this.#isOver) return;
    this.#fail(rejectionOf(failure), failureKinds[failure.kind]);
  }

  #takeBody(): RequestBody | Uint8Array | undefined {
    const proxied = this.#proxied;
    const { body } = proxied;
    if (!body || body.bytes) return body?.bytes;
    proxied.askForBody();
    body.pace?.allowSlow(proxied.caller, proxied.remoteAddress);
    this.#body = new RequestBody(body, proxied.match.app.compiled.maxBodyBytes, this.#onBodyProgress);
    return this.#body;
  }

  /** Returns false if the head could not be written, and the request has failed therefore. */
  #writeHead(status: number, headers: UpstreamHeaders, derived: Map<object, unknown> | undefined): boolean {
    const proxied = this.#proxied;
    try {
      const shared = sharedHeaders(proxied, status, headers, derived);
      proxied.response.writeHead(status, ownHeaders(proxied), shared);
      return true;
    } catch (cause) {
      // Node refused what our rules let pass.
      this.#fail(rejectionOf({ kind: "protocol", cause }));
      return false;
    }
  }

  #complete(lastChunk: Buffer | undefined, mayKeep = true): void {
    this.#end();
    // The upstream may respond without reading the complete body.
    this.#body?.stop();
    this.#proxied.response.end(lastChunk, mayKeep);
  }

  /**
   * Ends the request with an error: as a response while that is possible, else by aborting the connection. `failure` counts for
   * the breaker if the upstream has sent no head.
   */
  #fail(rejection: Rejection, failure?: FailureKind): void {
    this.#span?.recordError(rejection);
    this.#end();
    this.#call?.abort();
    this.#body?.stop();
    if (failure) this.#proxied.permit?.fail(failure, this.#deps.clock.monotonic());
    else this.#proxied.permit?.release();
    if (!this.#proxied.response.isHeadSent) {
      this.#proxied.refuse(this.#proxied, rejection);
      return;
    }
    // A normal end would make an incomplete response look complete.
    this.#proxied.reasonId = rejection.reasonId;
    this.#proxied.response.abort();
  }

  /** The head decides: what fails later may be due to the request, or to the client. */
  #settle(status: number): void {
    const now = this.#deps.clock.monotonic();
    const { permit, admittedAt } = this.#proxied;
    this.#proxied.upstreamMs = now - admittedAt;
    if (status >= 502 && status <= 504) permit?.fail("exchange", now);
    else permit?.succeed(now);
  }

  #recheck(): void {
    this.#stopRechecks ??= this.#deps.rechecks(this.#proxied, (rejection) => this.#fail(rejection));
  }

  #end(): void {
    this.#isOver = true;
    this.#stopRechecks?.();
    deadlines.remove(this);
    this.#span?.end();
  }

  readonly #onBodyProgress = (): void => {
    this.hasProgressed = true;
    if (this.#deps.clock.monotonic() - this.#proxied.admittedAt > longUploadMs) this.#recheck();
  };

  readonly #flushHead = (): void => {
    if (!this.#isOver) this.#proxied.response.flushHead();
  };

  readonly #onClientDrain = (): void => {
    if (!this.#isPaused || this.#isOver) return;
    this.#isPaused = false;
    this.hasProgressed = true;
    this.#call?.resume();
  };

  readonly #onClientClose = (): void => {
    if (this.#isOver) return;
    this.#end();
    this.#call?.abort();
    this.#body?.stop();
    this.#proxied.permit?.release();
  };

  onDue(): void {
    if (this.#isPaused) {
      // The client is slow, not the upstream.
      this.hasProgressed = true;
      deadlines.add(this);
    } else if (this.#body && !this.#body.isComplete && !this.#body.isBlocked) {
      this.#fail(new Rejection("INVALID_REQUEST", "body_timeout", "The request body stopped coming."));
    } else {
      const message = "The app's backend did not respond in time.";
      this.#fail(new Rejection("UPSTREAM_TIMEOUT", "upstream_timeout", message), "exchange");
    }
  }
}

function startSpan(proxied: ProxiedRequest, tracer: Tracer): Span {
  const { app, route } = proxied.match;
  const { hasSpan = false, traceparent } = proxied.context;
  // Handshakes have no span of the listener. A trace that begins here has no parent that decides.
  const isContinued = hasSpan || proxied.header("traceparent") === traceparent;
  return tracer.startSpan(`${proxied.method} ${app.name}`, {
    parent: traceparent,
    isParentTrusted: hasSpan || (isContinued && proxied.caller.kind !== "anonymous"),
    kind: "client",
    attributes: { "http.request.method": proxied.method, "appserver.app": app.name, "appserver.route": route.id },
  });
}

const reasons: Readonly<Record<Exclude<UpstreamFailure["kind"], "body">, { readonly id: ReasonId; readonly message: string }>> =
  {
    denied: { id: "upstream_denied", message: "The app's backend has an address that the platform does not connect to." },
    unreachable: { id: "upstream_unreachable", message: "The app's backend cannot be reached." },
    unsent: { id: "upstream_unreachable", message: "The platform could not send the request to the app's backend." },
    reset: { id: "upstream_reset", message: "The app's backend closed the connection." },
    protocol: { id: "upstream_protocol", message: "The app's backend does not send valid HTTP." },
  };

/** What a failure says about the upstream. Those without an entry say nothing. */
const failureKinds: Partial<Record<UpstreamFailure["kind"], FailureKind>> = {
  unreachable: "connection",
  reset: "exchange",
  protocol: "exchange",
};

function rejectionOf({ kind, cause }: UpstreamFailure): Rejection {
  if (kind === "body") {
    return cause instanceof RequestBodyError
      ? cause.rejection
      : new Rejection("INVALID_REQUEST", "client_gone", "The client closed the connection before the body ended.");
  }
  const { id, message } = reasons[kind];
  return new Rejection("UPSTREAM_ERROR", id, message, { cause });
}
