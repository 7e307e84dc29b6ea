import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { type ErrorBody, errorCatalogue } from "@appserver/contracts/errors";
import { AppError, expectedError, isAppError, type Logger, type OutboundResponse, type RequestHead } from "@appserver/kernel";
import { boundedError, type ErrorBounds } from "../bounded-error.ts";
import { errorPage, wantsPage } from "./error-page.ts";
import { NodeRequest } from "./node-request.ts";
import { NodeResponse } from "./node-response.ts";

/** An error with its own HTTP status (405, 413, 415, 431). The code is one of the catalogue. */
export class HttpStatusError extends Error {
  override readonly name = "HttpStatusError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly error: AppError;

  constructor(status: number, error: AppError, headers: Readonly<Record<string, string>> = {}) {
    super(error.message, { cause: error });
    this.status = status;
    this.headers = headers;
    this.error = error;
  }
}

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Seconds after which a client may retry, if the error does not specify them. */
const defaultRetryAfter = 5;

/** Messages quote the caller's input: an error must not send back megabytes. */
const bounds: ErrorBounds = { textLength: 1_000, violations: 200, bytes: 65_536 };

/** Maps every error of the HTTP listener (docs/interface/errors.md#http-body; RFC 9457 if the client accepts it). */
export function toErrorResponse(thrown: unknown, accept?: string): ErrorResponse {
  const { status, headers, error } = classify(thrown);
  const problem = accept?.includes("application/problem+json") ?? false;
  const { message, details } = boundedError(error, bounds);
  const body: ErrorBody = { error: message, code: error.code, details };
  return {
    status,
    headers: {
      ...headers,
      ...retryHeaders(error, status),
      "content-type": problem ? "application/problem+json" : "application/json; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
    body: JSON.stringify(problem ? toProblem(body, status) : body),
  };
}

/** Logs an unexpected error in full. The response contains no details of it. */
export function logUnexpected(logger: Logger, thrown: unknown, requestId: string): void {
  if (classify(thrown).status !== 500) return;
  logger.error({ err: thrown, requestId }, "http: a request failed");
}

/** Sends the error response of a failed handler. If the head was already sent, it ends the connection instead. */
export function writeError(request: RequestHead, response: OutboundResponse, thrown: unknown, requestId: string): void {
  if (response.isHeadSent || response.isClosed) {
    response.abort();
    return;
  }
  const { status, headers, body } = responseTo(request, thrown);
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, listOf({ ...headers, "content-length": length, "x-request-id": requestId }));
  response.end(request.method === "HEAD" ? undefined : body);
}

/** {@link writeError} for messages of Node's server. */
export function writeNodeError(request: IncomingMessage, response: ServerResponse, thrown: unknown, requestId: string): void {
  writeError(new NodeRequest(request), new NodeResponse(request, response), thrown, requestId);
}

/** Returns names and values, alternating. */
export function listOf(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flat();
}

/** Returns a page for a browser that is going to show the response, and JSON for every other client. */
function responseTo(request: RequestHead, thrown: unknown): ErrorResponse {
  if (!wantsPage(request)) return toErrorResponse(thrown, request.header("accept"));
  const { status, headers, error } = classify(thrown);
  const retry = retryHeaders(error, status);
  const retryAfter = status === 503 ? Number(retry["retry-after"]) : undefined;
  const page = errorPage({ status, reason: error.details["reason"], retryAfter });
  return { status, headers: { ...headers, ...retry, ...page.headers }, body: page.html };
}

/** Returns the status and the headers of an error, and what may be said of it. */
export function classify(thrown: unknown): { status: number; headers: Readonly<Record<string, string>>; error: AppError } {
  if (thrown instanceof HttpStatusError) return thrown;
  // An INTERNAL_ERROR that was thrown on purpose reveals as little as an unexpected error.
  const error = expectedError(thrown) ?? (isAppError(thrown) ? internalError() : undefined);
  if (error) return { status: errorCatalogue[error.code].http, headers: {}, error };
  const status = statusOf(thrown);
  if (status === undefined) return { status: 500, headers: {}, error: internalError() };
  return { status, headers: {}, error: new AppError("INVALID_REQUEST", refusals[status] ?? "the request is not valid") };
}

const refusals: Readonly<Record<number, string>> = {
  400: "the request is malformed",
  413: "the body is too large",
  415: "the media type of the body is not supported",
  431: "the headers are too large",
};

/** Returns the 4xx status of Fastify's own errors. Any other error is unexpected. */
function statusOf(thrown: unknown): number | undefined {
  const { statusCode } = (thrown ?? {}) as { statusCode?: unknown };
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
}

function internalError(): AppError {
  return new AppError("INTERNAL_ERROR", "internal error");
}

/** Returns `Retry-After` for the statuses that have it (docs/interface/errors.md#headers). */
export function retryHeaders({ details }: AppError, status: number): Readonly<Record<string, string>> {
  const { retry_after: given } = details;
  if (status !== 429 && status !== 503) return {};
  const seconds = typeof given === "number" && Number.isFinite(given) ? Math.max(1, Math.ceil(given)) : defaultRetryAfter;
  return { "retry-after": String(seconds) };
}

function toProblem(body: ErrorBody, status: number): object {
  return {
    type: "about:blank",
    title: STATUS_CODES[status],
    status,
    detail: body.error,
    code: body.code,
    details: body.details,
  };
}
