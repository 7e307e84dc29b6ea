/** An entity tag (RFC 9110 §8.8.3). */
export interface EntityTag {
  /** Without its quotes. */
  readonly opaque: string;
  readonly isWeak: boolean;
}

/** One tag with the separators before it. */
const nextTag = /[\s,]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/y;

/**
 * Reads the value of `If-Match` or `If-None-Match`. Returns `any` for `*`. Reads up to the first part that is not an entity tag, as
 * implementations do.
 */
export function parseEntityTags(field: string): readonly EntityTag[] | "any" {
  if (field.trim() === "*") return "any";
  const tags: EntityTag[] = [];
  nextTag.lastIndex = 0;
  for (let found = nextTag.exec(field); found; found = nextTag.exec(field)) {
    tags.push({ opaque: found[2] ?? "", isWeak: found[1] !== undefined });
  }
  return tags;
}

/** Returns whether `If-None-Match` names this representation: weak comparison (RFC 9110 §13.1.2). */
export function isNoneMatchHit(field: string | undefined, etag: string): boolean {
  return field !== undefined && names(field, etag, "weak");
}

/** Returns whether `If-Match` is fulfilled by this representation: strong comparison (RFC 9110 §13.1.1). */
export function isMatch(field: string, etag: string): boolean {
  return names(field, etag, "strong");
}

function names(field: string, etag: string, comparison: "weak" | "strong"): boolean {
  const tags = parseEntityTags(field);
  if (tags === "any") return true;
  const [own] = parseEntityTags(etag);
  if (own === undefined || typeof own === "string") return false;
  if (comparison === "strong" && own.isWeak) return false;
  return tags.some(({ opaque, isWeak }) => opaque === own.opaque && (comparison === "weak" || !isWeak));
}
