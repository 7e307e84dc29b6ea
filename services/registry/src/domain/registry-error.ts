/** Codes of errors (OCI Distribution Specification 1.1, error codes). */
export type RegistryErrorCode =
  | "BLOB_UNKNOWN"
  | "BLOB_UPLOAD_INVALID"
  | "BLOB_UPLOAD_UNKNOWN"
  | "DENIED"
  | "DIGEST_INVALID"
  | "MANIFEST_BLOB_UNKNOWN"
  | "MANIFEST_INVALID"
  | "MANIFEST_UNKNOWN"
  | "NAME_INVALID"
  | "NAME_UNKNOWN"
  | "RANGE_INVALID"
  | "SIZE_INVALID"
  | "TOOMANYREQUESTS"
  | "UNAUTHORIZED"
  | "UNSUPPORTED";

/** A request that the registry refuses. */
export class RegistryError extends Error {
  override readonly name = "RegistryError";
  readonly code: RegistryErrorCode;

  constructor(code: RegistryErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
