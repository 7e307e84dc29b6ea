import type { CombinedError } from "@urql/core";

/** A refusal of the platform, with a code of the error catalogue, or UNREACHABLE if no response arrived. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;
  /** Of the request that was refused, if the platform responded over HTTP. */
  readonly requestId: string | undefined;
  readonly #reason: string | undefined;

  constructor(
    code: string,
    message: string,
    { reason, requestId }: { reason?: string | undefined; requestId?: string | undefined } = {},
  ) {
    super(message);
    this.code = code;
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

export function toApiError({ graphQLErrors: [first], networkError, response }: CombinedError): ApiError {
  const { status, headers } = (response ?? {}) as Partial<Pick<Response, "status" | "headers">>;
  const requestId = headers?.get("x-request-id") ?? undefined;
  if (first) {
    const { code = "INTERNAL_ERROR", reason } = first.extensions as { readonly code?: string; readonly reason?: string };
    return new ApiError(code, first.message, { reason, requestId });
  }
  if (status === 401) return new ApiError("AUTHENTICATION_REQUIRED", "the session has ended", { requestId });
  if (status === 403) return new ApiError("PERMISSION_DENIED", "the platform refused the request", { requestId });
  return new ApiError("UNREACHABLE", networkError?.message ?? "the platform does not respond");
}
