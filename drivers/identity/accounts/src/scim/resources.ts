import type { ResourceType } from "./attribute.ts";
import type { Found, Page } from "./page.ts";
import { ScimError } from "./scim-error.ts";
import type { JsonObject } from "./values.ts";

/** What every stored resource has. */
export interface Stored {
  readonly id: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
}

/** The resources of one type. All methods throw ScimError. `ifMatch`: the value of `If-Match`. */
export interface Resources<T extends Stored> {
  readonly type: ResourceType;
  find(id: string): Promise<T>;
  list(page: Page): Promise<Found<T>>;
  create(body: JsonObject): Promise<T>;
  replace(id: string, body: JsonObject, ifMatch: string | undefined): Promise<T>;
  patch(id: string, body: JsonObject, ifMatch: string | undefined): Promise<T>;
  delete(id: string, ifMatch: string | undefined): Promise<void>;
}

/** Returns the weak ETag of a version (RFC 7644 section 3.14). */
export function etagOf({ version }: Pick<Stored, "version">): string {
  return `W/"${version}"`;
}

/** Throws 412 if the client wants to change another version. */
export function requireMatch(ifMatch: string | undefined, stored: Pick<Stored, "version">): void {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  const versions = ifMatch.split(",").map((each) => each.trim().replace(/^W\//, ""));
  if (!versions.includes(`"${stored.version}"`)) throw new ScimError(412, `the resource has the version ${etagOf(stored)}`);
}
