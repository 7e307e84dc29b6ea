/** Who sends a request, as every transport tells it to use cases. */
export type Caller =
  | { readonly kind: "user"; readonly id: string; readonly displayName: string }
  | { readonly kind: "app"; readonly name: string; readonly id: string }
  | { readonly kind: "anonymous" }
  /** The platform itself, or the development administrator where GraphQL authentication is off. */
  | { readonly kind: "system"; readonly reason: string };

export const anonymousCaller: Caller = { kind: "anonymous" };

/** The caller as the subject of a relationship tuple: `user:alice`, `app:com.example.notes`; undefined for the others. */
export function subjectOf(caller: Caller): string | undefined {
  if (caller.kind === "user") return `user:${caller.id}`;
  if (caller.kind === "app") return `app:${caller.name}`;
  return undefined;
}

/** The caller as events, history and audit name it. */
export function actorOf(caller: Caller): string {
  return subjectOf(caller) ?? caller.kind;
}
