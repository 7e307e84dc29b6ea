import { createHash } from "node:crypto";

/** The header of a representation with a tag. */
export const tagHeader = { ETag: { description: "the entity tag, for If-None-Match", isRequired: true } } as const;

/** Returns the entity tag of a representation. */
export function entityTag(text: string): string {
  return `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
}
