import type { Clock, InboundRequest, Logger, OutboundResponse, RequestContext } from "@appserver/kernel";
import type { Span, Tracer } from "@appserver/kernel/ports";
import { listOf, logUnexpected, writeError } from "./error-response.ts";
import type { FinishedRequests } from "./finished-requests.ts";
import type { RequestChecks } from "./request-checks.ts";
import { type RequestHandler, requestIdOf } from "./request-context.ts";
import { startRequestSpan } from "./request-span.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** A path whose requests go straight to their handler. */
export interface DirectRoute {
  /** The pattern, for metrics. */
  readonly route: string;
  /** Called for every request. Throws if the handler is not there yet. */
  readonly handler: () => RequestHandler;
  /** Whether the handler writes a log line for each request that it gets. */
  readonly ownLog: boolean;
  readonly isForApp: boolean;
}

export interface DirectRequestsDeps {
  readonly checks: RequestChecks;
  readonly finished: FinishedRequests;
  readonly proxies: TrustedProxies;
  readonly tracer: Tracer;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly contextOf: (request: InboundRequest, requestId: string, span?: Span) => RequestContext;
}

/**
 * Handles the requests that need none of Fastify's routing, parsing and hooks, with the same checks, metrics and log lines: most
 * requests of a platform are proxied, for assets or for GraphQL, and Fastify would be a tenth of the cost of a proxied one.
 */
export class DirectRequests {
  readonly #deps: DirectRequestsDeps;

  constructor(deps: DirectRequestsDeps) {
    this.#deps = deps;
  }

  handle(request: InboundRequest, response: OutboundResponse, route: DirectRoute): void {
    const deps = this.#deps;
    const requestId = requestIdOf(request);
    const span = startRequestSpan(deps.tracer, request, { route: route.route, requestId, proxies: deps.proxies });
    const startedAt = deps.clock.monotonic();
    let isLogged = false;
    response.onClose(() => {
      const durationMs = Math.round((deps.clock.monotonic() - startedAt) * 1_000) / 1_000;
      const finished = { method: request.method, route: route.route, status: response.status, durationMs };
      deps.finished.add(requestId, finished, isLogged, span);
    });
    const fail = (error: unknown): void => {
      logUnexpected(deps.logger, error, requestId);
      writeError(request, response, error, requestId);
    };
    try {
      const preflight = deps.checks.pass(request, response, route.isForApp);
      if (preflight) {
        response.writeHead(204, listOf(preflight));
        response.end();
        return;
      }
      const handler = route.handler();
      isLogged = route.ownLog;
      handler.handle(request, response, deps.contextOf(request, requestId, span))?.catch(fail);
    } catch (error) {
      fail(error);
    }
  }
}
