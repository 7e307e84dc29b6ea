import { createHash } from "node:crypto";

/** The header of a representation with a tag. */
export const tagHeader = { ETag: { description: "the entity tag, for If-None-Match", isRequired: true } } as const;

/** Returns the entity tag of a representation. */
export function entityTag(text: string): string {
  return `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
}

/** Returns whether the client has the representation with this tag already (RFC 9110 §13.1.2, weak comparison). */
export function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}
