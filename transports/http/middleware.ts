import { apiPrefix } from "@appserver/contracts/patterns";
import { AppError, type Clock, type Logger, requireInputTexts } from "@appserver/kernel";
import type { Metrics, Span, Tracer } from "@appserver/kernel/ports";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type FinishedRequest, HttpMetrics } from "./http-metrics.ts";
import { hostOf, type Origins, requireOneHost } from "./origins.ts";
import { mapErrors } from "./routing.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

export interface MiddlewareDeps {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly origins: Origins;
  /** Host names, without port, that requests may use. Undefined allows all. Protects against DNS rebinding. */
  readonly allowedHosts?: ReadonlySet<string> | undefined;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  /** Clients behind them may decide that a trace is recorded. */
  readonly proxies: TrustedProxies;
}

interface Middleware {
  readonly name: string;
  readonly install: (app: FastifyInstance, deps: MiddlewareDeps) => void;
}

/**
 * The middleware of every request, in order (docs/interface/rest.md#middleware). Raw routes (the proxy, GraphQL) write their
 * responses themselves: the listener only adds CORS headers, and the proxy writes its own log line. Each route authenticates its
 * callers. Fastify passes a handler's exception or rejection to the error handler.
 */
export const middleware: readonly Middleware[] = [
  { name: "request id", install: answerRequestId },
  { name: "logging", install: logRequests },
  { name: "metrics", install: countRequests },
  { name: "tracing", install: traceRequests },
  { name: "host", install: checkHost },
  { name: "CORS", install: allowOrigins },
  { name: "forgery", install: refuseForgery },
  { name: "service workers", install: refuseServiceWorkers },
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

function logRequests(app: FastifyInstance, { logger }: MiddlewareDeps): void {
  app.addHook("onResponse", (request, reply, done) => {
    if (!request.routeOptions.config.ownLog) {
      const { method, route, status, durationMs } = finished(request, reply);
      logger.info({ requestId: request.id, method, route, status, durationMs }, "request");
    }
    done();
  });
}

function countRequests(app: FastifyInstance, { metrics }: MiddlewareDeps): void {
  const counts = new HttpMetrics(metrics);
  app.addHook("onResponse", (request, reply, done) => {
    counts.add(finished(request, reply));
    done();
  });
}

/**
 * Records spans with the names of OpenTelemetry's semantic conventions for HTTP. Leaves out the path, which may contain
 * secrets.
 */
function traceRequests(app: FastifyInstance, { tracer, proxies }: MiddlewareDeps): void {
  app.decorateRequest("span", undefined);
  if (!tracer.enabled) return;
  app.addHook("onRequest", (request, _reply, done) => {
    const { traceparent } = request.headers;
    request.span = tracer.startSpan(`${request.method} ${routeOf(request)}`, {
      parent: typeof traceparent === "string" ? traceparent : undefined,
      isParentTrusted: proxies.isTrustedPeer(request.raw),
      kind: "server",
      attributes: { "http.request.method": request.method, "http.route": routeOf(request), "appserver.request_id": request.id },
    });
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { statusCode } = reply.raw;
    request.span?.setAttribute("http.response.status_code", statusCode);
    if (statusCode >= 500) request.span?.recordError(statusCode);
    request.span?.end();
    done();
  });
}

function checkHost(app: FastifyInstance, { allowedHosts }: MiddlewareDeps): void {
  app.addHook("onRequest", (request, _reply, done) => {
    requireOneHost(request.raw);
    done();
  });
  if (!allowedHosts) return;
  app.addHook("onRequest", (request, _reply, done) => {
    const host = hostOf(request.raw)?.replace(/:\d+$/, "");
    const known = host !== undefined && allowedHosts.has(host);
    done(known ? undefined : new AppError("INVALID_REQUEST", "the Host header is not an address of this server"));
  });
}

function allowOrigins(app: FastifyInstance, { origins }: MiddlewareDeps): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { origin } = request.headers;
    if (origin === undefined) return done();
    const preflight = request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
    // Set below Fastify, so that responses of raw handlers have it, too.
    reply.raw.setHeader("vary", "Origin");
    if (origins.isAllowed(origin)) {
      reply.raw.setHeader("access-control-allow-origin", origin);
      reply.raw.setHeader("access-control-allow-credentials", "true");
      if (preflight) return answerPreflight(request, reply);
      reply.raw.setHeader("access-control-expose-headers", exposedHeaders);
    } else if (preflight && !origins.admits(request.raw)) {
      return done(new AppError("PERMISSION_DENIED", "this origin is not allowed", { details: { origin } }));
    }
    done();
  });
}

const exposedHeaders =
  "X-Request-ID, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, ETag, X-Subresource-Integrity";

function answerPreflight(request: FastifyRequest, reply: FastifyReply): void {
  const { "access-control-request-method": method, "access-control-request-headers": headers } = request.headers;
  reply.header("access-control-allow-methods", method);
  if (headers !== undefined) reply.header("access-control-allow-headers", headers);
  void reply.header("access-control-max-age", "600").code(204).send();
}

function refuseForgery(app: FastifyInstance, { origins }: MiddlewareDeps): void {
  app.addHook("onRequest", (request, _reply, done) => {
    // An app may accept what pages of other sites send without cookies. The platform does not: a login starts a session, and if
    // callers need no login, any page that a developer visits would act as the administrator.
    const forged = origins.isForgery(request.raw, !isAppRoute(request));
    done(forged ? new AppError("PERMISSION_DENIED", "a request that a page of another site sent is refused") : undefined);
  });
}

/** Routes whose responses come from apps. */
const appRoutes = [apiPrefix, "/apps/", "/assets/"];

/**
 * Refuses service workers of apps: one would control pages of the platform's origin long after its app is uninstalled. Browsers
 * send headers that identify the request.
 */
function refuseServiceWorkers(app: FastifyInstance): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const { "service-worker": worker, "sec-fetch-dest": destination } = request.headers;
    const isWorker = worker !== undefined || destination === "serviceworker";
    if (!isWorker || !isAppRoute(request)) return done();
    done(new AppError("PERMISSION_DENIED", "a file of an app cannot be a service worker of the platform's origin"));
  });
}

/** Checks the path parameters of the listener's own routes. Raw handlers decode theirs themselves. */
function checkParameters(app: FastifyInstance): void {
  app.addHook("onRequest", (request, _reply, done) => {
    requireInputTexts(request.params, { name: "path" });
    done();
  });
}

function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    if (!isRaw(request)) {
      reply
        .header("x-content-type-options", "nosniff")
        .header("referrer-policy", "no-referrer")
        .header("x-frame-options", "DENY");
    }
    done();
  });
}

function handleErrors(app: FastifyInstance, { logger }: MiddlewareDeps): void {
  mapErrors(app, logger);
  app.setNotFoundHandler(() => {
    throw noSuchRoute();
  });
}

export function noSuchRoute(): AppError {
  return new AppError("NOT_FOUND", "no route has this path");
}

function isAppRoute(request: FastifyRequest): boolean {
  return appRoutes.some((prefix) => routeOf(request).startsWith(prefix));
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? "unknown";
}

function finished(request: FastifyRequest, reply: FastifyReply): FinishedRequest {
  return {
    method: request.method,
    route: routeOf(request),
    status: reply.raw.statusCode,
    durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
  };
}
