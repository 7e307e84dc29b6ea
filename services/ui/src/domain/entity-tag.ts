/**
 * Strong entity tag of one representation: other codings are other bytes, so they have other tags (RFC 9110 §8.8.3). That
 * of the raw bytes is the `etag` that GraphQL tells.
 */
export function entityTag(sha256Hex: string, coding?: string): string {
  return coding === undefined ? `"${sha256Hex}"` : `"${sha256Hex}-${coding}"`;
}

/** Whether an `If-None-Match` names the tag, by the weak comparison that the header asks for (RFC 9110 §13.1.2). */
export function isNoneMatchHit(header: string, tag: string): boolean {
  if (header.trim() === "*") return true;
  return header.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === tag);
}
