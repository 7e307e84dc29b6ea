import { errorCatalogue } from "@appserver/contracts/errors";
import type { Problem } from "@appserver/contracts/graphql/types";
import { type AppError, expectedError, type Logger } from "@appserver/kernel";
import { type DocumentNode, GraphQLError } from "graphql";
import { HttpStatusError, retryHeaders } from "../http/error-response.ts";
import { withoutQuotedValues } from "./quoted-values.ts";

/**
 * Maps every error of the GraphQL listener (docs/interface/errors.md#graphql-errors). An error of a use case keeps its code and
 * details. An invalid query is VALIDATION_ERROR. An unexpected error is logged in full and sent without details.
 */
export function presentError(error: GraphQLError, logger: Logger, requestId: string, document?: DocumentNode): GraphQLError {
  const cause = causeOf(error);
  const expected = expectedError(cause);
  if (expected) return new GraphQLError(expected.message, { ...placeOf(error), extensions: extensionsOf(expected) });
  // An error without a path occurs before execution: syntax, validation, variables.
  if (error.path === undefined && cause === undefined) {
    const message = withoutQuotedValues(error, document);
    return new GraphQLError(message, { ...placeOf(error), extensions: { code: "VALIDATION_ERROR" } });
  }
  logger.error({ err: cause ?? error, path: error.path, requestId }, "graphql: a field failed");
  return internalError(placeOf(error));
}

/** A refused HTTP request. Its status does not depend on the accepted media type. */
export interface RefusedRequest {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly result: { readonly errors: readonly GraphQLError[] };
}

/** Maps an error of the HTTP request itself. */
export function presentRequestError(error: unknown, logger: Logger, requestId: string): RefusedRequest {
  if (error instanceof HttpStatusError) {
    return { status: error.status, headers: error.headers, result: { errors: [requestError(error.error)] } };
  }
  const expected = expectedError(error);
  if (expected) {
    const status = errorCatalogue[expected.code].http;
    return { status, headers: retryHeaders(expected, status), result: { errors: [requestError(expected)] } };
  }
  logger.error({ err: error, requestId }, "graphql: a request failed");
  return { status: 500, result: { errors: [internalError({})] } };
}

/** Creates an error that concerns the whole request, not a field. */
export function requestError(error: AppError): GraphQLError {
  return new GraphQLError(error.message, { extensions: extensionsOf(error), originalError: error });
}

function internalError(place: ReturnType<typeof placeOf>): GraphQLError {
  return new GraphQLError("internal error", { ...place, extensions: { code: "INTERNAL_ERROR" } });
}

function extensionsOf(error: AppError): Record<string, unknown> {
  return { ...error.details, code: codeOf(error) };
}

/** Returns a refusal as a `Problem`, for payloads that have an `error`. The code is that of the same error in `errors`. */
export function problemOf(error: AppError): Problem {
  return { code: codeOf(error), message: error.message, details: error.details };
}

function codeOf(error: AppError): string {
  return errorCatalogue[error.code].graphql;
}

/** Returns the first cause that GraphQL itself did not create. */
export function causeOf(error: GraphQLError): unknown {
  let cause: unknown = error.originalError;
  while (cause instanceof GraphQLError && cause.originalError) cause = cause.originalError;
  return cause instanceof GraphQLError ? undefined : cause;
}

function placeOf(error: GraphQLError): {
  nodes?: GraphQLError["nodes"];
  source?: GraphQLError["source"];
  positions?: GraphQLError["positions"];
  path?: GraphQLError["path"];
} {
  const { nodes, source, positions, path } = error;
  return { nodes, source, positions, path };
}
