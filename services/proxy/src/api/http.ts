import {
  actorOf,
  type BufferBudget,
  type BufferLease,
  type Clock,
  type InboundRequest,
  isAppError,
  type Logger,
  type OutboundResponse,
  Rejection,
  type RequestContext,
  traceIdOf,
} from "@appserver/kernel";
import { RequestRecord } from "../domain/request-record.ts";
import {
  type DirectCall,
  type ProxiedMessage,
  ProxiedRequest,
  type Upgrade,
} from "../use-cases/forward-request/proxied-request.ts";
import { runSteps, type Step } from "../use-cases/forward-request/step.ts";
import { writeRejection } from "./error-response.ts";

export interface HttpEntryDeps {
  readonly steps: readonly Step[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Limits the memory for bodies that must be read before the caller is authenticated, because signatures cover them. */
  readonly budget: BufferBudget;
  /** Gets each request once, at its end. `isTunnelled`: whether a developer's backend had it in place of the app's. */
  readonly onRequest: (record: RequestRecord, isTunnelled: boolean) => void;
}

type Refusal = (proxied: ProxiedRequest, error: unknown) => void;

/** Passes requests through the steps, sends rejections, and writes one log line per request. */
export class HttpEntry {
  readonly #deps: HttpEntryDeps;
  readonly #refuse: Refusal;

  constructor(deps: HttpEntryDeps) {
    this.#deps = deps;
    this.#refuse = this.#refusalBy((proxied, rejection) => this.#writeRejection(proxied, rejection));
  }

  /**
   * Handles a request that a part of the platform makes for a caller. `refuse` gets the request with the reason if the steps refuse it before
   * its response has begun.
   */
  handleDirect(
    message: ProxiedMessage & { readonly direct: DirectCall },
    context: RequestContext,
    { lease, refuse }: { readonly lease: BufferLease; readonly refuse: (rejection: Rejection) => void },
  ): void {
    this.#begin(
      message,
      context,
      lease,
      this.#refusalBy((_, rejection) => refuse(rejection)),
    );
  }

  /** Handles a request and sends its response, including errors. */
  handle(request: InboundRequest, response: OutboundResponse, context: RequestContext): void {
    this.#begin({ request, response }, context, this.#deps.budget.lease(context.remoteAddress), this.#refuse);
  }

  /** Handles a WebSocket handshake in the same way. The listener passes no other upgrade. */
  handleUpgrade(request: InboundRequest, response: OutboundResponse, upgrade: Upgrade, context: RequestContext): void {
    this.#begin({ request, response, upgrade }, context, this.#deps.budget.lease(context.remoteAddress), this.#refuse);
  }

  #begin(message: ProxiedMessage, context: RequestContext, lease: BufferLease, refuse: Refusal): void {
    const proxied = new ProxiedRequest(message, context, this.#deps.clock.monotonic(), lease, refuse);
    message.response.onClose(() => this.#finish(proxied));
    runSteps(this.#deps.steps, proxied);
  }

  #refusalBy(write: (proxied: ProxiedRequest, rejection: Rejection) => void): Refusal {
    return (proxied, error) => {
      const rejection = this.rejectionOf(error, proxied.context);
      proxied.reasonId = rejection.reasonId;
      // A step may have failed after the breaker admitted the request.
      proxied.permit?.release();
      if (proxied.response.isHeadSent || proxied.response.isClosed) proxied.response.abort();
      else write(proxied, rejection);
    };
  }

  #writeRejection(proxied: ProxiedRequest, rejection: Rejection): void {
    try {
      writeRejection(proxied, rejection);
    } catch (error) {
      // A request without any response would hang until its client gives up.
      this.#deps.logger.error({ requestId: proxied.context.requestId, err: error }, "proxy: writing an error response failed");
      proxied.response.abort();
    }
  }

  /** Returns an error of a step as what callers get. Logs one that nothing expects. */
  rejectionOf(error: unknown, { requestId }: Pick<RequestContext, "requestId">): Rejection {
    if (error instanceof Rejection) return error;
    if (isAppError(error) && error.code !== "INTERNAL_ERROR") {
      return new Rejection(error.code, "internal", error.message, { details: error.details, cause: error });
    }
    this.#deps.logger.error({ requestId, err: error }, "proxy: forwarding a request failed");
    return new Rejection("INTERNAL_ERROR", "internal", "Something went wrong.", { cause: error });
  }

  #finish(proxied: ProxiedRequest): void {
    proxied.end();
    const { response, context } = proxied;
    proxied.isAborted = !response.isFinished && !proxied.isSwitched;
    const record = new RequestRecord({
      requestId: context.requestId,
      traceId: traceIdOf(context.traceparent),
      method: proxied.method,
      route: proxied.matchedRoute?.id,
      pattern: proxied.matchedRoute?.pattern,
      status: statusOf(proxied),
      app: proxied.appName,
      caller: actorOf(proxied.caller),
      durationMs: round(this.#deps.clock.monotonic() - proxied.startedAt),
      upstreamMs: proxied.upstreamMs === undefined ? undefined : round(proxied.upstreamMs),
      reasonId: proxied.reasonId ?? (proxied.isAborted ? "client_gone" : undefined),
    });
    this.#deps.logger.info(record, "request");
    this.#deps.onRequest(record, proxied.isTunnelled);
  }
}

/** 499 if the client disconnected before its response began. */
function statusOf({ response, isSwitched }: ProxiedRequest): number {
  if (isSwitched) return 101;
  return response.isHeadSent ? response.status : 499;
}

function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
