import { i18n } from "../i18n.ts";

interface Violation {
  readonly field: string;
  readonly message: string;
}

interface ApiErrorFacts {
  readonly reason?: string | undefined;
  readonly violations?: readonly Violation[] | undefined;
  readonly requestId?: string | undefined;
}

/** A refusal of the platform, with a code of the error catalogue, or UNREACHABLE if no response arrived. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;
  /** What was wrong with which part of the request. */
  readonly violations: readonly Violation[];
  /** Of the request that was refused, if the platform responded over HTTP. */
  readonly requestId: string | undefined;
  readonly #reason: string | undefined;

  constructor(code: string, message: string, { reason, violations = [], requestId }: ApiErrorFacts = {}) {
    super(message);
    this.code = code;
    this.violations = violations;
    this.requestId = requestId;
    this.#reason = reason;
  }

  /** Whether the session is valid, but the user must give the second factor. */
  get needsSecondFactor(): boolean {
    return this.#reason === "session_aal2_required";
  }

  /** Whether the session is missing, has expired or was revoked. */
  get isSignedOut(): boolean {
    return this.code === "AUTHENTICATION_REQUIRED" || this.code === "AUTHENTICATION_FAILED";
  }

  /** Whether another attempt may succeed without a change by the user. */
  get isOutage(): boolean {
    return this.code === "UNREACHABLE" || this.code === "SERVICE_UNAVAILABLE";
  }
}

/** An error of a response of GraphQL (docs/interface/errors.md). */
export interface GraphqlError {
  readonly message: string;
  readonly extensions?: { readonly code?: string; readonly reason?: string; readonly violations?: readonly Violation[] };
}

export function refusalOf({ message, extensions = {} }: GraphqlError, requestId?: string): ApiError {
  const { code = "INTERNAL_ERROR", reason, violations } = extensions as NonNullable<GraphqlError["extensions"]>;
  return new ApiError(code, message, { reason, violations, requestId });
}

/** Returns what a response means that has no result of GraphQL. `status`: undefined if there is no response. */
export function unansweredBy(status: number | undefined, message: string, requestId?: string): ApiError {
  if (status === 401) return new ApiError("AUTHENTICATION_REQUIRED", i18n.t("the session has ended"), { requestId });
  if (status === 403) return new ApiError("PERMISSION_DENIED", i18n.t("the platform refused the request"), { requestId });
  return new ApiError("UNREACHABLE", message);
}
