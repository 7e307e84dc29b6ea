import type { ModelDefinition } from "./families.ts";

interface TypeDefinition {
  readonly type: string;
  readonly relations?: object | null;
  readonly metadata?: {
    readonly relations?: Readonly<Record<string, { readonly directly_related_user_types?: readonly UserType[] }>> | null;
  } | null;
}

interface UserType {
  readonly type: string;
  readonly relation?: string;
  readonly wildcard?: object | null;
}

/** Returns what a stored model cannot express of a needed one: `group`, `group#member`, `role#assignee for machine`. */
export function lackingRelations(stored: { readonly type_definitions?: readonly object[] }, needed: ModelDefinition): string[] {
  const has = new Set(expressions(stored.type_definitions ?? []));
  return expressions((needed as { readonly type_definitions?: readonly object[] }).type_definitions ?? []).filter(
    (each) => !has.has(each),
  );
}

function expressions(definitions: readonly object[]): string[] {
  return (definitions as readonly TypeDefinition[]).flatMap(({ type, relations, metadata }) => [
    type,
    ...Object.keys(relations ?? {}).map((relation) => `${type}#${relation}`),
    ...Object.entries(metadata?.relations ?? {}).flatMap(([relation, { directly_related_user_types: users = [] }]) =>
      users.map((user) => `${type}#${relation} for ${nameOf(user)}`),
    ),
  ]);
}

function nameOf({ type, relation, wildcard }: UserType): string {
  if (wildcard) return `${type}:*`;
  return relation ? `${type}#${relation}` : type;
}
