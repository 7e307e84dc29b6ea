import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { actorOf, type BufferBudget, type Clock, isAppError, type Logger, Refusal } from "@appserver/kernel";
import type { RequestRecord } from "../domain/request-record.ts";
import { abortConnection } from "../use-cases/forward-request/abort-connection.ts";
import { Exchange, type RequestContext, type Upgrade } from "../use-cases/forward-request/exchange.ts";
import { runSteps, type Step } from "../use-cases/forward-request/step.ts";
import { writeRefusal } from "./error-response.ts";

export interface HttpEntranceDeps {
  readonly steps: readonly Step[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Limits the memory for bodies that must be read before the caller is authenticated, because signatures cover them. */
  readonly budget: BufferBudget;
  /** Gets each request once, at its end. */
  readonly onRequest: (record: RequestRecord) => void;
}

/** Passes requests from Node's HTTP server through the steps, sends refusals, and writes one log line per request. */
export class HttpEntrance {
  readonly #deps: HttpEntranceDeps;

  constructor(deps: HttpEntranceDeps) {
    this.#deps = deps;
  }

  /** Handles a request and sends its response, including errors. */
  handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): void {
    this.#begin({ request, response }, context);
  }

  /** Handles a WebSocket handshake in the same way. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, context: RequestContext): void {
    // Node leaves an upgraded socket without listeners, so an unhandled error would end the process.
    socket.on("error", () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.once("finish", () => (socket as Socket).destroySoon());
    socket.on("drain", () => response.emit("drain"));
    this.#begin({ request, response, upgrade: { socket, head } }, context, isWebSocket(request) ? undefined : notWebSocket());
  }

  #begin(
    message: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly upgrade?: Upgrade },
    context: RequestContext,
    refusal?: Refusal,
  ): void {
    const exchange = new Exchange(message, context, this.#deps.clock.monotonic(), this.#deps.budget.lease(), this.#refuse);
    // A write to a connection that was just lost must not end the process. "close" handles the loss.
    message.response.on("error", () => {});
    message.response.once("close", () => this.#finish(exchange));
    if (refusal) this.#refuse(exchange, refusal);
    else runSteps(this.#deps.steps, exchange);
  }

  readonly #refuse = (exchange: Exchange, error: unknown): void => {
    const refusal = this.#refusalOf(exchange, error);
    exchange.reasonId = refusal.reasonId;
    // A step may have failed after the breaker admitted the request.
    exchange.permit?.release();
    if (exchange.response.headersSent || exchange.response.destroyed) abortConnection(exchange.response);
    else writeRefusal(exchange, refusal);
  };

  #refusalOf(exchange: Exchange, error: unknown): Refusal {
    if (error instanceof Refusal) return error;
    if (isAppError(error) && error.code !== "INTERNAL_ERROR") {
      return new Refusal(error.code, "internal", error.message, { details: error.details, cause: error });
    }
    this.#deps.logger.error({ requestId: exchange.context.requestId, err: error }, "proxy: forwarding a request failed");
    return new Refusal("INTERNAL_ERROR", "internal", "Something went wrong.", { cause: error });
  }

  #finish(exchange: Exchange): void {
    exchange.end();
    const { response, context } = exchange;
    // Node's HTTP/2 responses have no `writableFinished`.
    exchange.isAborted = !(response.writableFinished ?? response.writableEnded) && response.statusCode !== 101;
    const record: RequestRecord = {
      requestId: context.requestId,
      method: exchange.method,
      route: exchange.matchedRoute?.id,
      status: response.headersSent || response.statusCode === 101 ? response.statusCode : 499,
      app: exchange.appName,
      caller: actorOf(exchange.caller),
      durationMs: round(this.#deps.clock.monotonic() - exchange.startedAt),
      upstreamMs: exchange.upstreamMs === undefined ? undefined : round(exchange.upstreamMs),
      reasonId: exchange.reasonId ?? (exchange.isAborted ? "client_gone" : undefined),
    };
    this.#deps.logger.info(record, "request");
    this.#deps.onRequest(record);
  }
}

function isWebSocket(request: IncomingMessage): boolean {
  return request.method === "GET" && request.headers.upgrade?.toLowerCase() === "websocket";
}

function notWebSocket(): Refusal {
  return new Refusal("INVALID_REQUEST", "upgrade_invalid", "Only WebSocket upgrades, by GET, are possible.");
}

function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
