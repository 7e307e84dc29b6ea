/** Returns whether an `If-None-Match` contains the tag, by the weak comparison that the header requires (RFC 9110 §13.1.2). */
export function isNoneMatchHit(header: string, tag: string): boolean {
  if (header.trim() === "*") return true;
  return header.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === tag);
}
