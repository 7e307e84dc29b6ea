/**
 * Returns the strong entity tag of one representation. Other codings have other bytes and so other tags (RFC 9110 §8.8.3). The
 * tag of the raw bytes equals the `etag` in GraphQL.
 */
export function entityTag(sha256Hex: string, coding?: string): string {
  return coding === undefined ? `"${sha256Hex}"` : `"${sha256Hex}-${coding}"`;
}

/** Returns whether an `If-None-Match` contains the tag, by the weak comparison that the header requires (RFC 9110 §13.1.2). */
export function isNoneMatchHit(header: string, tag: string): boolean {
  if (header.trim() === "*") return true;
  return header.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === tag);
}
