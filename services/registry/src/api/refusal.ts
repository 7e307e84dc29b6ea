import { type AppError, expectedError } from "@appserver/kernel";
import { RegistryError, type RegistryErrorCode } from "../domain/registry-error.ts";

export interface RefusalResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** OCI Distribution Specification 1.1, error codes. */
  readonly body: string;
}

const statuses: Readonly<Record<RegistryErrorCode, number>> = {
  BLOB_UNKNOWN: 404,
  BLOB_UPLOAD_INVALID: 400,
  BLOB_UPLOAD_UNKNOWN: 404,
  DENIED: 403,
  DIGEST_INVALID: 400,
  MANIFEST_BLOB_UNKNOWN: 400,
  MANIFEST_INVALID: 400,
  MANIFEST_UNKNOWN: 404,
  NAME_INVALID: 400,
  NAME_UNKNOWN: 404,
  RANGE_INVALID: 416,
  SIZE_INVALID: 413,
  TOOMANYREQUESTS: 429,
  UNAUTHORIZED: 401,
  UNSUPPORTED: 405,
};

const headersOf: Partial<Record<RegistryErrorCode, Readonly<Record<string, string>>>> = {
  UNAUTHORIZED: { "www-authenticate": 'Basic realm="appserver", charset="UTF-8"' },
  UNSUPPORTED: { allow: "GET, HEAD, POST, PATCH, PUT, DELETE" },
};

const codes: Partial<Record<string, RegistryErrorCode>> = {
  AUTHENTICATION_REQUIRED: "UNAUTHORIZED",
  AUTHENTICATION_FAILED: "UNAUTHORIZED",
  PERMISSION_DENIED: "DENIED",
  RATE_LIMIT_EXCEEDED: "TOOMANYREQUESTS",
};

/** Returns the response to a refused request. Undefined for an error that the listener responds to. */
export function refusalOf(error: unknown): RefusalResponse | undefined {
  if (error instanceof RegistryError) return refusal(error.code, error.message, 5);
  const expected = expectedError(error);
  const code = expected && codes[expected.code];
  return code && refusal(code, expected.message, retryAfterOf(expected));
}

function refusal(code: RegistryErrorCode, message: string, retryAfter: number): RefusalResponse {
  const retry = code === "TOOMANYREQUESTS" ? { "retry-after": String(retryAfter) } : {};
  const body = JSON.stringify({ errors: [{ code, message, detail: {} }] });
  return { status: statuses[code], headers: { ...headersOf[code], ...retry, "content-type": "application/json" }, body };
}

function retryAfterOf({ details }: AppError): number {
  const { retry_after: seconds } = details;
  return typeof seconds === "number" ? Math.max(1, Math.ceil(seconds)) : 5;
}
