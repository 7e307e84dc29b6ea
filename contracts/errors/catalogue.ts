/** How one error code appears on each transport (specification §7, design/contracts "Errors"). */
export interface ErrorEntry {
  readonly http: number;
  /** Canonical gRPC status code number. */
  readonly grpc: number;
  /** `extensions.code` */
  readonly graphql: string;
  readonly meaning: string;
}

const grpc = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

export const errorCatalogue = {
  INVALID_REQUEST: {
    http: 400,
    grpc: grpc.invalidArgument,
    graphql: "VALIDATION_ERROR",
    meaning: "The request breaks a rule; `details.violations` lists every one.",
  },
  AUTHENTICATION_REQUIRED: {
    http: 401,
    grpc: grpc.unauthenticated,
    graphql: "AUTHENTICATION_REQUIRED",
    meaning: "No credentials were given.",
  },
  AUTHENTICATION_FAILED: {
    http: 401,
    grpc: grpc.unauthenticated,
    graphql: "AUTHENTICATION_FAILED",
    meaning: "The session or the signature is not valid.",
  },
  PERMISSION_DENIED: {
    http: 403,
    grpc: grpc.permissionDenied,
    graphql: "PERMISSION_DENIED",
    meaning: "The caller lacks a permission.",
  },
  NOT_FOUND: { http: 404, grpc: grpc.notFound, graphql: "NOT_FOUND", meaning: "The resource or route does not exist." },
  CONFLICT: {
    http: 409,
    grpc: grpc.aborted,
    graphql: "CONFLICT",
    meaning: "Something else has that name or key, or changed it first.",
  },
  DEPENDENCY_UNSATISFIED: {
    http: 409,
    grpc: grpc.failedPrecondition,
    graphql: "DEPENDENCY_UNSATISFIED",
    meaning: "A HARD dependency is missing or of the wrong version, or others depend on the app.",
  },
  APPROVAL_REQUIRED: {
    http: 409,
    grpc: grpc.failedPrecondition,
    graphql: "APPROVAL_REQUIRED",
    meaning: "A permission of the app waits for an administrator's approval.",
  },
  INVALID_STATE: {
    http: 409,
    grpc: grpc.failedPrecondition,
    graphql: "INVALID_STATE",
    meaning: "The app's state does not allow the command; both states are named.",
  },
  RATE_LIMIT_EXCEEDED: {
    http: 429,
    grpc: grpc.resourceExhausted,
    graphql: "RATE_LIMIT_EXCEEDED",
    meaning: "Too many requests; `details.retry_after` says when to come back, in seconds.",
  },
  UPSTREAM_ERROR: {
    http: 502,
    grpc: grpc.unavailable,
    graphql: "UPSTREAM_ERROR",
    meaning: "The app's backend could not be reached or broke off.",
  },
  SERVICE_UNAVAILABLE: {
    http: 503,
    grpc: grpc.unavailable,
    graphql: "SERVICE_UNAVAILABLE",
    meaning: "The app or something the platform needs does not serve now; try again.",
  },
  UPSTREAM_TIMEOUT: {
    http: 504,
    grpc: grpc.deadlineExceeded,
    graphql: "UPSTREAM_TIMEOUT",
    meaning: "The app's backend did not answer in time.",
  },
  INTERNAL_ERROR: {
    http: 500,
    grpc: grpc.internal,
    graphql: "INTERNAL_ERROR",
    meaning: "Something the platform did not foresee; the log has it under the request id.",
  },
} as const satisfies Record<string, ErrorEntry>;

/** A code of the catalogue. */
export type CatalogueCode = keyof typeof errorCatalogue;

/** `domain` of every google.rpc.ErrorInfo that the platform sends. */
export const errorDomain = "appserver";

/** Body of every HTTP error (specification §7.1). */
export interface ErrorBody {
  readonly error: string;
  readonly code: CatalogueCode;
  readonly details: Readonly<Record<string, unknown>>;
}
