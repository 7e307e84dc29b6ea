/** The sender of a request, as every transport passes it to use cases. */
export type Caller =
  | { readonly kind: "user"; readonly id: string; readonly displayName: string }
  | { readonly kind: "app"; readonly name: string; readonly id: string }
  | { readonly kind: "anonymous" }
  /** The platform itself, or the development administrator where GraphQL authentication is off. */
  | { readonly kind: "system"; readonly reason: string };

export const anonymousCaller: Caller = { kind: "anonymous" };

/**
 * Returns the caller as the subject of a relationship tuple: `user:alice`, `app:com.example.notes`. Undefined for other
 * callers.
 */
export function subjectOf(caller: Caller): string | undefined {
  if (caller.kind === "user") return `user:${caller.id}`;
  if (caller.kind === "app") return `app:${caller.name}`;
  return undefined;
}

/** Returns the caller's name in events, history and the audit log. */
export function actorOf(caller: Caller): string {
  return subjectOf(caller) ?? caller.kind;
}
