import { type ErrorBody, errorCatalogue } from "@appserver/contracts/errors";
import type { InboundBody, ReasonId, Rejection } from "@appserver/kernel";
import type { ProxiedRequest } from "../use-cases/forward-request/proxied-request.ts";

/** Reasons with a more specific status than their code (docs/interface/errors.md#http-status). */
const sharperStatus: Partial<Record<ReasonId, number>> = {
  method_not_allowed: 405,
  body_timeout: 408,
  body_too_large: 413,
  head_too_large: 431,
};
const defaultRetryAfterSeconds = 5;
/** Up to this size, the rest of a request is read and dropped, which keeps the connection. */
const drainableBytes = 256 * 1024;

/** Returns the status of a rejection. */
export function statusOfRejection({ reasonId, code }: Rejection): number {
  return sharperStatus[reasonId] ?? errorCatalogue[code].http;
}

/** Sends a rejection with the body of docs/interface/errors.md#http-body, or as RFC 9457 if the client prefers that. */
export function writeRejection(proxied: ProxiedRequest, rejection: Rejection): void {
  const { response } = proxied;
  const status = statusOfRejection(rejection);
  const isProblem = proxied.header("accept")?.includes("application/problem+json") === true;
  const { page } = rejection;
  const body = Buffer.from(page ?? JSON.stringify(isProblem ? problemOf(rejection, status) : bodyOf(rejection)));
  const headers = [
    "Content-Type",
    page !== undefined ? "text/html; charset=utf-8" : contentTypeOf(isProblem),
    "Content-Length",
    String(body.length),
    "Cache-Control",
    "no-store",
    "X-Content-Type-Options",
    "nosniff",
    "X-Request-ID",
    proxied.context.requestId,
    ...proxied.limitHeaders,
    ...headersOf(rejection, status),
  ];
  const isUnread = proxied.isUpgrade || proxied.isBodyUnasked || hasLongRest(proxied.body);
  if (isUnread && proxied.request.httpVersion !== "2.0") headers.push("Connection", "close");
  response.writeHead(status, headers);
  response.end(body);
}

function contentTypeOf(isProblem: boolean): string {
  return isProblem ? "application/problem+json" : "application/json; charset=utf-8";
}

function bodyOf({ message, code, details }: Rejection): ErrorBody {
  return { error: message, code, details };
}

function problemOf({ message, code, details }: Rejection, status: number): object {
  return { type: "about:blank", title: errorCatalogue[code].meaning, status, detail: message, code, details };
}

function headersOf(rejection: Rejection, status: number): string[] {
  if (rejection.allowedMethods) return ["Allow", rejection.allowedMethods.join(", ")];
  if (status === 401) return ["WWW-Authenticate", 'Bearer realm="appserver"'];
  if (status === 503) return ["Retry-After", String(rejection.retryAfterSeconds ?? defaultRetryAfterSeconds)];
  return rejection.retryAfterSeconds === undefined ? [] : ["Retry-After", String(rejection.retryAfterSeconds)];
}

function hasLongRest(body: InboundBody | undefined): boolean {
  if (!body || body.isComplete) return false;
  return body.length === undefined || body.length > drainableBytes;
}
