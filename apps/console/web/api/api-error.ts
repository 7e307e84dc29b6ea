import type { CombinedError } from "@urql/core";

interface Violation {
  readonly field: string;
  readonly message: string;
}

/** A refusal of the platform, with a code of the error catalogue, or UNREACHABLE if no response arrived. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;
  /** What was wrong with which part of the request. */
  readonly violations: readonly Violation[];
  readonly #reason: string | undefined;

  constructor(code: string, message: string, reason?: string, violations: readonly Violation[] = []) {
    super(message);
    this.code = code;
    this.violations = violations;
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

interface Extensions {
  readonly code?: string;
  readonly reason?: string;
  readonly violations?: readonly Violation[];
}

export function toApiError({ graphQLErrors: [first], networkError, response }: CombinedError): ApiError {
  if (first) {
    const { code = "INTERNAL_ERROR", reason, violations } = first.extensions as Extensions;
    return new ApiError(code, first.message, reason, violations);
  }
  const { status } = (response ?? {}) as { readonly status?: number };
  if (status === 401) return new ApiError("AUTHENTICATION_REQUIRED", "the session has ended");
  if (status === 403) return new ApiError("PERMISSION_DENIED", "the platform refused the request");
  return new ApiError("UNREACHABLE", networkError?.message ?? "the platform does not respond");
}
