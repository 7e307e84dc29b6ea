/**
 * An authorization model in the JSON form of OpenFGA's API, as it is stored in the contracts.
 */
export interface AuthorizationModel {
  readonly schema_version: string;
  readonly type_definitions: readonly TypeDefinition[];
  readonly conditions?: Readonly<Record<string, ConditionDefinition>>;
}

export interface TypeDefinition {
  readonly type: string;
  readonly relations?: Readonly<Record<string, Userset>>;
  readonly metadata?: {
    readonly relations?: Readonly<Record<string, { readonly directly_related_user_types?: readonly RelationReference[] }>>;
  } | null;
}

/** A kind of user that a relation allows directly: `user`, `user:*`, `role#assignee`, each optionally `with` a condition. */
export interface RelationReference {
  readonly type: string;
  readonly relation?: string;
  readonly wildcard?: object;
  readonly condition?: string;
}

/** The rule that computes a relation. Exactly one member is set. */
export interface Userset {
  readonly this?: object;
  readonly computedUserset?: { readonly relation?: string };
  readonly tupleToUserset?: {
    readonly tupleset: { readonly relation?: string };
    readonly computedUserset: { readonly relation?: string };
  };
  readonly union?: { readonly child: readonly Userset[] };
  readonly intersection?: { readonly child: readonly Userset[] };
  readonly difference?: { readonly base: Userset; readonly subtract: Userset };
}

export interface ConditionDefinition {
  readonly name: string;
  readonly expression: string;
  readonly parameters?: Readonly<Record<string, ParameterType>>;
}

export interface ParameterType {
  readonly type_name: string;
  readonly generic_types?: readonly ParameterType[];
}
