/** The form of one error code on each transport (docs/interface/errors.md#codes). */
export interface ErrorEntry {
  readonly http: number;
  /**
   * Canonical gRPC status code: 3 INVALID_ARGUMENT, 4 DEADLINE_EXCEEDED, 5 NOT_FOUND, 7 PERMISSION_DENIED,
   * 8 RESOURCE_EXHAUSTED, 9 FAILED_PRECONDITION, 10 ABORTED, 13 INTERNAL, 14 UNAVAILABLE, 16 UNAUTHENTICATED.
   */
  readonly grpc: number;
  /** `extensions.code` */
  readonly graphql: string;
  readonly meaning: string;
}

const catalogue = {
  INVALID_REQUEST: {
    http: 400,
    grpc: 3,
    graphql: "VALIDATION_ERROR",
    meaning: "The request is invalid. `details.violations` lists every violation.",
  },
  AUTHENTICATION_REQUIRED: {
    http: 401,
    grpc: 16,
    graphql: "AUTHENTICATION_REQUIRED",
    meaning: "The request has no credentials.",
  },
  AUTHENTICATION_FAILED: {
    http: 401,
    grpc: 16,
    graphql: "AUTHENTICATION_FAILED",
    meaning: "The session or the signature is invalid.",
  },
  PERMISSION_DENIED: {
    http: 403,
    grpc: 7,
    graphql: "PERMISSION_DENIED",
    meaning: "The caller lacks a permission.",
  },
  NOT_FOUND: { http: 404, grpc: 5, graphql: "NOT_FOUND", meaning: "The resource or route does not exist." },
  CONFLICT: {
    http: 409,
    grpc: 10,
    graphql: "CONFLICT",
    meaning: "The name or key is in use, or another caller changed the resource first.",
  },
  DEPENDENCY_UNSATISFIED: {
    http: 409,
    grpc: 9,
    graphql: "DEPENDENCY_UNSATISFIED",
    meaning: "A HARD dependency is missing or has the wrong version, or another app depends on the app.",
  },
  APPROVAL_REQUIRED: {
    http: 409,
    grpc: 9,
    graphql: "APPROVAL_REQUIRED",
    meaning: "A permission of the app needs an administrator's approval.",
  },
  INVALID_STATE: {
    http: 409,
    grpc: 9,
    graphql: "INVALID_STATE",
    meaning: "The app's state does not allow the command. The message names both states.",
  },
  RATE_LIMIT_EXCEEDED: {
    http: 429,
    grpc: 8,
    graphql: "RATE_LIMIT_EXCEEDED",
    meaning: "Too many requests. `details.retry_after` is the number of seconds to wait before a retry.",
  },
  UPSTREAM_ERROR: {
    http: 502,
    grpc: 14,
    graphql: "UPSTREAM_ERROR",
    meaning: "The app's backend is unreachable or ended the connection.",
  },
  SERVICE_UNAVAILABLE: {
    http: 503,
    grpc: 14,
    graphql: "SERVICE_UNAVAILABLE",
    meaning: "The app, or a service that the platform needs, is unavailable. Retry later.",
  },
  UPSTREAM_TIMEOUT: {
    http: 504,
    grpc: 4,
    graphql: "UPSTREAM_TIMEOUT",
    meaning: "The app's backend did not respond in time.",
  },
  INTERNAL_ERROR: {
    http: 500,
    grpc: 13,
    graphql: "INTERNAL_ERROR",
    meaning: "An unexpected error. The log contains it under the request id.",
  },
} as const;

/** Every code that a caller can see, on any transport. */
export type ErrorCode = keyof typeof catalogue;

export const errorCatalogue: Readonly<Record<ErrorCode, ErrorEntry>> = catalogue;

/** `domain` of every google.rpc.ErrorInfo that the platform sends. */
export const errorDomain = "appserver";

/** Body of every HTTP error (docs/interface/errors.md#http-body). */
export interface ErrorBody {
  readonly error: string;
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
}
