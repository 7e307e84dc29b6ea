// What every response below `/scim/v2` has in common (RFC 7644).

/** Media type of SCIM's requests and responses (RFC 7644 section 3.1). */
export const scimMediaType = "application/scim+json";

/** Where SCIM's resources begin: `/scim/v2/Users`. */
export const scimPrefix = "/scim/v2";

/** Kinds of errors that a client can tell apart (RFC 7644 section 3.12). */
export type ScimErrorType =
  | "invalidFilter"
  | "tooMany"
  | "uniqueness"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue";

/** The body of an error (RFC 7644 section 3.12). */
export interface ScimErrorBody {
  readonly schemas: readonly ["urn:ietf:params:scim:api:messages:2.0:Error"];
  /** The HTTP status as a text. */
  readonly status: string;
  readonly scimType?: ScimErrorType;
  readonly detail: string;
}

/** Returns the body of an error. */
export function scimErrorBody(status: number, detail: string, scimType?: ScimErrorType): ScimErrorBody {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(status),
    ...(scimType && { scimType }),
    detail,
  };
}
