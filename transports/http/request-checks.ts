import { AppError, type OutboundResponse, type RequestHead } from "@appserver/kernel";
import { hostOf, type Origins, requireOneHost } from "./origins.ts";

export interface RequestChecksDeps {
  readonly origins: Origins;
  /** Host names, without port, that requests may use. Undefined allows all. Protects against DNS rebinding. */
  readonly allowedHosts?: ReadonlySet<string> | undefined;
}

/** Headers of the response to a preflight, besides those that every response to the origin has. */
export type PreflightHeaders = Readonly<Record<string, string>>;

const exposedHeaders = [
  ...["X-Request-ID", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit", "RateLimit-Policy"],
  ...["Retry-After", "ETag", "Link", "Idempotency-Replayed", "X-Subresource-Integrity"],
].join(", ");

/** Checks of every request before a handler gets it (docs/interface/rest.md#middleware): host, origin, forgery, service workers. */
export class RequestChecks {
  readonly #origins: Origins;
  readonly #allowedHosts: ReadonlySet<string> | undefined;

  constructor({ origins, allowedHosts }: RequestChecksDeps) {
    this.#origins = origins;
    this.#allowedHosts = allowedHosts;
  }

  /** Throws AppError INVALID_REQUEST unless the request names one host, which is an address of this server. */
  requireHost(request: RequestHead): void {
    requireOneHost(request);
    if (this.#allowedHosts) requireHost(request, this.#allowedHosts);
  }

  /**
   * Sets the CORS headers of the response, below Fastify, so that responses of raw handlers have them, too. Returns the other
   * headers of the response to a preflight, which no handler gets. `isForApp`: whether the response comes from an app. Throws
   * AppError INVALID_REQUEST or PERMISSION_DENIED for a request that is refused.
   */
  pass(request: RequestHead, response: OutboundResponse, isForApp: boolean): PreflightHeaders | undefined {
    this.requireHost(request);
    const origin = request.header("origin");
    const preflight = origin === undefined ? undefined : this.#allowOrigin(origin, request, response);
    if (preflight) return preflight;
    // An app may accept what pages of other sites send without cookies. The platform does not: a login starts a session, and if
    // callers need no login, any page that a developer visits would act as the administrator.
    if (this.#origins.isForgery(request, !isForApp)) {
      throw new AppError("PERMISSION_DENIED", "a request that a page of another site sent is refused");
    }
    if (isForApp) refuseServiceWorker(request);
    return undefined;
  }

  #allowOrigin(origin: string, request: RequestHead, response: OutboundResponse): PreflightHeaders | undefined {
    const method = request.header("access-control-request-method");
    const isPreflight = request.method === "OPTIONS" && method !== undefined;
    response.setHeader("vary", "Origin");
    if (this.#origins.isAllowed(origin)) {
      response.setHeader("access-control-allow-origin", origin);
      response.setHeader("access-control-allow-credentials", "true");
      if (!isPreflight) response.setHeader("access-control-expose-headers", exposedHeaders);
      else return preflightHeaders(method, request.header("access-control-request-headers"));
    } else if (isPreflight && !this.#origins.admits(request)) {
      throw new AppError("PERMISSION_DENIED", "this origin is not allowed", { details: { origin } });
    }
    return undefined;
  }
}

function preflightHeaders(method: string, headers: string | undefined): PreflightHeaders {
  return {
    "access-control-allow-methods": method,
    ...(headers !== undefined && { "access-control-allow-headers": headers }),
    "access-control-max-age": "600",
  };
}

function requireHost(request: RequestHead, allowed: ReadonlySet<string>): void {
  const host = hostOf(request)?.replace(/:\d+$/, "");
  if (host === undefined || !allowed.has(host)) {
    throw new AppError("INVALID_REQUEST", "the Host header is not an address of this server");
  }
}

/**
 * Refuses service workers of apps: one would control pages of the platform's origin long after its app is uninstalled. Browsers
 * send headers that identify the request.
 */
function refuseServiceWorker(request: RequestHead): void {
  if (request.header("service-worker") === undefined && request.header("sec-fetch-dest") !== "serviceworker") return;
  throw new AppError("PERMISSION_DENIED", "a file of an app cannot be a service worker of the platform's origin");
}
