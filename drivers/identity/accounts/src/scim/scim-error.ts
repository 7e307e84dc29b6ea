import type { ScimErrorType } from "@appserver/contracts/scim";

/** Why a request is refused (RFC 7644 section 3.12). */
export class ScimError extends Error {
  override readonly name = "ScimError";
  readonly status: number;
  readonly scimType: ScimErrorType | undefined;

  constructor(status: number, detail: string, scimType?: ScimErrorType) {
    super(detail);
    this.status = status;
    this.scimType = scimType;
  }
}

export function notFound(what: string): ScimError {
  return new ScimError(404, `${what} is not there`);
}

export function invalid(scimType: ScimErrorType, detail: string): ScimError {
  return new ScimError(400, detail, scimType);
}

/** Returns a value of the client as it can be shown in an error. */
export function quoted(given: unknown): string {
  const text = JSON.stringify(given) ?? "nothing";
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
