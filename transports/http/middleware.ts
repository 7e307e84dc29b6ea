import { apiPrefix } from "@appserver/contracts/patterns";
import { type Logger, requireInputTexts } from "@appserver/kernel";
import type { Span, Tracer } from "@appserver/kernel/ports";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { FinishedRequests } from "./finished-requests.ts";
import { noSuchRoute } from "./no-such-route.ts";
import { NodeRequest } from "./node-request.ts";
import { NodeResponse } from "./node-response.ts";
import type { RequestChecks } from "./request-checks.ts";
import { startRequestSpan } from "./request-span.ts";
import { mapErrors } from "./routing.ts";
import { securityHeaders } from "./security-headers.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

export interface MiddlewareDeps {
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly proxies: TrustedProxies;
  readonly checks: RequestChecks;
  readonly finished: FinishedRequests;
}

interface Middleware {
  readonly name: string;
  readonly install: (app: FastifyInstance, deps: MiddlewareDeps) => void;
}

/**
 * The middleware of every request that Fastify routes, in order (docs/interface/rest.md#middleware). Raw routes (the proxy, GraphQL) write their
 * responses themselves: the listener only adds CORS headers, and the proxy writes its own log line. Each route authenticates its
 * callers. Fastify passes a handler's exception or rejection to the error handler.
 */
export const middleware: readonly Middleware[] = [
  { name: "request id", install: answerRequestId },
  { name: "logging, metrics and tracing", install: recordRequests },
  { name: "host, CORS, forgery and service workers", install: checkRequests },
  { name: "input", install: checkParameters },
  { name: "security headers", install: addSecurityHeaders },
  { name: "error handling", install: handleErrors },
];

declare module "fastify" {
  interface FastifyContextConfig {
    /** The handler writes the response itself. */
    readonly raw?: boolean;
    /** The handler writes its own log line for each request. */
    readonly ownLog?: boolean;
  }
  interface FastifyRequest {
    /** Span of the whole request, if spans are recorded. */
    span: Span | undefined;
  }
}

function isRaw(request: FastifyRequest): boolean {
  return request.routeOptions.config.raw === true;
}

function answerRequestId(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    if (!isRaw(request)) reply.header("x-request-id", request.id);
    done();
  });
}

function recordRequests(app: FastifyInstance, { finished, tracer, proxies }: MiddlewareDeps): void {
  app.decorateRequest("span", undefined);
  app.addHook("onRequest", (request, _reply, done) => {
    request.span = startRequestSpan(tracer, new NodeRequest(request.raw), {
      route: routeOf(request),
      requestId: request.id,
      proxies,
    });
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { ownLog = false } = request.routeOptions.config;
    const durationMs = Math.round(reply.elapsedTime * 1_000) / 1_000;
    const { statusCode: status } = reply.raw;
    finished.add(request.id, { method: request.method, route: routeOf(request), status, durationMs }, ownLog, request.span);
    done();
  });
}

function checkRequests(app: FastifyInstance, { checks }: MiddlewareDeps): void {
  app.addHook("onRequest", (request, reply, done) => {
    try {
      const preflight = checks.pass(
        new NodeRequest(request.raw),
        new NodeResponse(request.raw, reply.raw),
        isAppRoute(request),
      );
      if (preflight) return void reply.headers(preflight).code(204).send();
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Routes whose responses come from apps. */
const appRoutes = [apiPrefix, "/apps/", "/assets/"];

/** Checks the path parameters of the listener's own routes. Raw handlers decode theirs themselves. */
function checkParameters(app: FastifyInstance): void {
  app.addHook("onRequest", (request, _reply, done) => {
    requireInputTexts(request.params, { name: "path" });
    done();
  });
}

function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    if (!isRaw(request)) reply.headers(securityHeaders);
    done();
  });
}

function handleErrors(app: FastifyInstance, { logger }: MiddlewareDeps): void {
  mapErrors(app, logger);
  app.setNotFoundHandler(() => {
    throw noSuchRoute();
  });
}

function isAppRoute(request: FastifyRequest): boolean {
  return appRoutes.some((prefix) => routeOf(request).startsWith(prefix));
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? "unknown";
}
