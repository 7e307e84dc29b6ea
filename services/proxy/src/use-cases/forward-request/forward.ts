import type { Duplex } from "node:stream";
import type { Clock } from "@appserver/kernel";
import { type ReasonId, Refusal } from "@appserver/kernel";
import type { Span, Tracer, UpstreamCall, UpstreamFailure, UpstreamHeaders, UpstreamReceiver } from "../../ports.ts";
import { abortConnection, drainRequest } from "./abort-connection.ts";
import type { Exchange } from "./exchange.ts";
import { RequestBody, RequestBodyError } from "./request-body.ts";
import { responseHeaders } from "./response-headers.ts";
import type { Step } from "./step.ts";
import type { StreamAgeing } from "./stream-ageing.ts";
import { openTunnel } from "./tunnel.ts";
import { upstreamHeaders } from "./upstream-headers.ts";

export interface ForwardDeps {
  readonly clock: Clock;
  readonly tracer: Tracer;
  /** Called for every upgraded connection, so that stopping can end it. */
  readonly onTunnel: (client: Duplex) => void;
  /** Repeats the checks of long-lived exchanges: upgraded connections, and responses of unknown length. */
  readonly ageing: StreamAgeing;
}

/** Forwards the request and streams the response back (docs/interface/proxy.md#timeouts-and-failures). */
export function forward(deps: ForwardDeps): Step {
  return (exchange) => new Forwarding(exchange, deps).start();
}

/** Transfers one request between client and upstream, with back-pressure and aborts in both directions. */
class Forwarding implements UpstreamReceiver {
  readonly #exchange: Exchange;
  readonly #deps: ForwardDeps;
  readonly #startedAt: number;
  #call: UpstreamCall | undefined;
  #body: RequestBody | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #span: Span | undefined;
  #isOver = false;
  #hasHead = false;
  #isFailureStatus = false;
  #isPaused = false;
  #stopAgeing = (): void => {};
  /** Bytes until the response is complete. NaN if the length is unknown. */
  #bytesLeft = Number.NaN;

  constructor(exchange: Exchange, deps: ForwardDeps) {
    this.#exchange = exchange;
    this.#deps = deps;
    this.#startedAt = deps.clock.monotonic();
  }

  start(): void {
    const { app, route, path } = this.#exchange.match;
    if (this.#deps.tracer.enabled) this.#span = startSpan(this.#exchange, this.#deps.tracer);
    this.#exchange.response.on("close", this.#onClientClose).on("drain", this.#onClientDrain);
    this.#deadline = setTimeout(this.#onDeadline, route.timeoutMs);
    const request = {
      method: this.#exchange.method,
      path,
      headers: upstreamHeaders(this.#exchange, this.#deps.clock.now(), this.#span?.traceparent),
      body: this.#exchange.bufferedBody ?? this.#streamBody(),
    };
    app.upstream.send(this.#exchange.isUpgrade ? { ...request, upgrade: "websocket" } : request, this);
  }

  onStart(call: UpstreamCall): void {
    this.#call = call;
    if (this.#isOver) call.abort();
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    if (this.#isOver) return;
    const exchange = this.#exchange;
    exchange.upstreamMs = this.#deps.clock.monotonic() - this.#startedAt;
    this.#hasHead = true;
    this.#isFailureStatus = status >= 502 && status <= 504;
    this.#span?.setAttribute("http.response.status_code", status);
    if (exchange.permit?.isProbe === true) this.#settlePermit();
    if (headers["content-type"]?.includes("text/event-stream") === true) clearTimeout(this.#deadline);
    else this.#deadline?.refresh();
    const length = status === 204 ? undefined : headers["content-length"];
    this.#bytesLeft = typeof length === "string" && exchange.method !== "HEAD" && status !== 304 ? Number(length) : Number.NaN;
    this.#writeHead(status, headers);
    // Small responses leave in one piece with their headers. Headers of a stream must not wait for its first event.
    if (Number.isNaN(this.#bytesLeft)) {
      setImmediate(this.#flushHead);
      this.#stopAgeing = this.#deps.ageing.join(exchange, (refusal) => this.#fail(refusal, false));
    }
  }

  onData(chunk: Buffer): void {
    if (this.#isOver) return;
    const { response } = this.#exchange;
    this.#deadline?.refresh();
    this.#bytesLeft -= chunk.length;
    if (this.#bytesLeft === 0) {
      this.#complete(chunk);
    } else if (!response.write(chunk)) {
      this.#isPaused = true;
      this.#call?.pause();
    }
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
    this.#settlePermit();
    const exchange = this.#exchange;
    exchange.upstreamMs = this.#deps.clock.monotonic() - this.#startedAt;
    openTunnel(exchange, headers, socket);
    if (!exchange.upgrade) return;
    const { socket: client } = exchange.upgrade;
    this.#deps.onTunnel(client);
    const leave = this.#deps.ageing.join(exchange, () => client.destroy());
    client.once("close", leave);
  }

  onError(failure: UpstreamFailure): void {
    if (this.#isOver) return;
    const isOurs = failure.kind === "body" || failure.kind === "denied";
    this.#fail(refusalOf(failure), !isOurs);
  }

  #streamBody(): RequestBody | undefined {
    const exchange = this.#exchange;
    if (!exchange.hasBody) return undefined;
    exchange.askForBody();
    this.#body = new RequestBody(exchange.request, exchange.match.app.compiled.maxBodyBytes, this.#onBodyProgress);
    return this.#body;
  }

  #writeHead(status: number, headers: UpstreamHeaders): void {
    try {
      this.#exchange.response.writeHead(status, responseHeaders(this.#exchange, status, headers));
    } catch (cause) {
      this.#fail(refusalOf({ kind: "protocol", cause }), true);
    }
  }

  #complete(lastChunk: Buffer | undefined): void {
    this.#end();
    this.#settlePermit();
    this.#exchange.response.end(lastChunk);
    // The upstream may respond without reading the complete body.
    if (this.#body && !this.#body.isComplete) {
      this.#body.destroy();
      drainRequest(this.#exchange.request);
    }
  }

  /** Ends the exchange with an error: as a response while that is possible, else by aborting the connection. */
  #fail(refusal: Refusal, isUpstreamsFault: boolean): void {
    this.#span?.recordError(refusal);
    this.#end();
    this.#call?.abort();
    this.#body?.destroy();
    if (isUpstreamsFault) this.#exchange.permit?.fail(this.#deps.clock.monotonic());
    else this.#exchange.permit?.release();
    if (!this.#exchange.response.headersSent) {
      this.#exchange.refuse(this.#exchange, refusal);
      return;
    }
    // A normal end would make an incomplete response look complete.
    this.#exchange.reasonId = refusal.reasonId;
    abortConnection(this.#exchange.response);
  }

  #settlePermit(): void {
    if (this.#isFailureStatus) this.#exchange.permit?.fail(this.#deps.clock.monotonic());
    else this.#exchange.permit?.succeed(this.#deps.clock.monotonic());
  }

  #end(): void {
    this.#isOver = true;
    this.#stopAgeing();
    clearTimeout(this.#deadline);
    this.#span?.end();
    this.#exchange.response.removeListener("close", this.#onClientClose).removeListener("drain", this.#onClientDrain);
  }

  readonly #onBodyProgress = (): void => {
    this.#deadline?.refresh();
  };

  readonly #flushHead = (): void => {
    if (!this.#isOver) this.#exchange.response.flushHeaders();
  };

  readonly #onClientDrain = (): void => {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#deadline?.refresh();
    this.#call?.resume();
  };

  readonly #onClientClose = (): void => {
    this.#end();
    this.#call?.abort();
    this.#body?.destroy();
    // The upstream's part so far was correct.
    if (this.#hasHead) this.#settlePermit();
    else this.#exchange.permit?.release();
  };

  readonly #onDeadline = (): void => {
    if (this.#isPaused) {
      // The client is slow, not the upstream.
      this.#deadline?.refresh();
    } else if (this.#body && !this.#body.isComplete && !this.#body.isHeldBack) {
      this.#fail(new Refusal("INVALID_REQUEST", "body_timeout", "The request body stopped coming."), false);
    } else {
      this.#fail(new Refusal("UPSTREAM_TIMEOUT", "upstream_timeout", "The app's backend did not respond in time."), true);
    }
  };
}

function startSpan(exchange: Exchange, tracer: Tracer): Span {
  const { app, route } = exchange.match;
  return tracer.startSpan(`${exchange.method} ${app.name}`, {
    parent: exchange.context.traceparent ?? exchange.header("traceparent"),
    // Handshakes have no listener span.
    isParentTrusted: exchange.context.traceparent !== undefined || exchange.caller.kind !== "anonymous",
    kind: "client",
    attributes: { "http.request.method": exchange.method, "appserver.app": app.name, "appserver.route": route.id },
  });
}

const reasons: Readonly<Record<Exclude<UpstreamFailure["kind"], "body">, { readonly id: ReasonId; readonly message: string }>> =
  {
    denied: { id: "upstream_denied", message: "The app's backend has an address that the platform does not connect to." },
    unreachable: { id: "upstream_unreachable", message: "The app's backend cannot be reached." },
    reset: { id: "upstream_reset", message: "The app's backend closed the connection." },
    protocol: { id: "upstream_protocol", message: "The app's backend does not send valid HTTP." },
  };

function refusalOf({ kind, cause }: UpstreamFailure): Refusal {
  if (kind === "body") {
    return cause instanceof RequestBodyError
      ? cause.refusal
      : new Refusal("INVALID_REQUEST", "client_gone", "The client closed the connection before the body ended.");
  }
  const { id, message } = reasons[kind];
  return new Refusal("UPSTREAM_ERROR", id, message, { cause });
}
