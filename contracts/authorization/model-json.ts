/** An authorization model in the JSON form of OpenFGA's API (`POST /stores/{id}/authorization-models`). */
export interface AuthorizationModelJson {
  readonly schema_version: string;
  readonly type_definitions: readonly TypeDefinitionJson[];
  readonly conditions?: Readonly<Record<string, ConditionJson>>;
}

export interface TypeDefinitionJson {
  readonly type: string;
  readonly relations?: Readonly<Record<string, UsersetJson>>;
  readonly metadata?: {
    readonly relations?: Readonly<Record<string, { readonly directly_related_user_types?: readonly RelationReferenceJson[] }>>;
  } | null;
}

export interface RelationReferenceJson {
  readonly type: string;
  readonly relation?: string;
  readonly wildcard?: object;
  readonly condition?: string;
}

/** Exactly one member is set. */
export interface UsersetJson {
  readonly this?: object;
  readonly computedUserset?: { readonly relation?: string };
  readonly tupleToUserset?: {
    readonly tupleset: { readonly relation?: string };
    readonly computedUserset: { readonly relation?: string };
  };
  readonly union?: { readonly child: readonly UsersetJson[] };
  readonly intersection?: { readonly child: readonly UsersetJson[] };
  readonly difference?: { readonly base: UsersetJson; readonly subtract: UsersetJson };
}

export interface ConditionJson {
  readonly name: string;
  readonly expression: string;
  readonly parameters?: Readonly<Record<string, ConditionParameterJson>>;
}

export interface ConditionParameterJson {
  readonly type_name: string;
  readonly generic_types?: readonly ConditionParameterJson[];
}
