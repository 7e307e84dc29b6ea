import type { AuthorizationModel, RelationReference, TypeDefinition, Userset } from "./authorization-model.ts";
import type { Condition } from "./condition.ts";
import { compileConditions } from "./conditions.ts";

/** The rule of a relation, with all references resolved for evaluation. */
export type Rewrite =
  | { readonly kind: "direct" }
  | { readonly kind: "computed"; readonly relation: string }
  | { readonly kind: "from"; readonly relation: string; readonly tupleset: string }
  | { readonly kind: "union" | "intersection"; readonly children: readonly Rewrite[] }
  | { readonly kind: "exclusion"; readonly base: Rewrite; readonly subtract: Rewrite };

export interface Relation {
  readonly rewrite: Rewrite;
  /** Kinds of users that tuples of this relation may name. */
  readonly directTypes: readonly RelationReference[];
  /** True if a rule of the same type reads `… from` this relation. */
  readonly isTupleset: boolean;
}

/** A validated model with compiled conditions. */
export interface Model {
  hasType(type: string): boolean;
  relation(type: string, relation: string): Relation | undefined;
  condition(name: string): Condition | undefined;
}

/** Throws an Error that names the type and relation if the model contains an undefined reference. */
export async function compileModel(source: AuthorizationModel): Promise<Model> {
  if (source.schema_version !== "1.1") {
    throw new Error(`authorization model has schema ${source.schema_version}; expected 1.1`);
  }
  const conditions = await compileConditions(source.conditions ?? {});
  const types = new Map(source.type_definitions.map((type) => [type.type, compileType(type)]));
  const model: Model = {
    hasType: (type) => types.has(type),
    relation: (type, relation) => types.get(type)?.get(relation),
    condition: (name) => conditions.get(name),
  };
  for (const [type, relations] of types) {
    for (const [name, relation] of relations) checkReferences(model, type, name, relation);
  }
  return model;
}

function compileType(type: TypeDefinition): ReadonlyMap<string, Relation> {
  const rewrites = Object.entries(type.relations ?? {}).map(([name, userset]) => [name, compileRewrite(userset)] as const);
  const tuplesets = new Set(rewrites.flatMap(([, rewrite]) => [...tuplesetsOf(rewrite)]));
  return new Map(
    rewrites.map(([name, rewrite]) => [
      name,
      {
        rewrite,
        directTypes: type.metadata?.relations?.[name]?.directly_related_user_types ?? [],
        isTupleset: tuplesets.has(name),
      },
    ]),
  );
}

function compileRewrite(userset: Userset): Rewrite {
  if (userset.computedUserset) return { kind: "computed", relation: userset.computedUserset.relation ?? "" };
  if (userset.tupleToUserset) {
    return {
      kind: "from",
      relation: userset.tupleToUserset.computedUserset.relation ?? "",
      tupleset: userset.tupleToUserset.tupleset.relation ?? "",
    };
  }
  if (userset.union) return { kind: "union", children: userset.union.child.map(compileRewrite) };
  if (userset.intersection) return { kind: "intersection", children: userset.intersection.child.map(compileRewrite) };
  if (userset.difference) {
    return {
      kind: "exclusion",
      base: compileRewrite(userset.difference.base),
      subtract: compileRewrite(userset.difference.subtract),
    };
  }
  return { kind: "direct" };
}

function childrenOf(rewrite: Rewrite): readonly Rewrite[] {
  if (rewrite.kind === "union" || rewrite.kind === "intersection") return rewrite.children;
  return rewrite.kind === "exclusion" ? [rewrite.base, rewrite.subtract] : [];
}

function* tuplesetsOf(rewrite: Rewrite): Generator<string> {
  if (rewrite.kind === "from") yield rewrite.tupleset;
  for (const child of childrenOf(rewrite)) yield* tuplesetsOf(child);
}

function checkReferences(model: Model, type: string, name: string, relation: Relation): void {
  const refuse = (problem: string): never => {
    throw new Error(`authorization model: ${type}#${name} ${problem}`);
  };
  for (const user of relation.directTypes) {
    if (!model.hasType(user.type)) refuse(`refers to the undefined type ${user.type}`);
    if (user.relation && !model.relation(user.type, user.relation)) {
      refuse(`refers to the undefined relation ${user.type}#${user.relation}`);
    }
    if (user.condition && !model.condition(user.condition)) refuse(`refers to the undefined condition ${user.condition}`);
  }
  checkRewrite(relation.rewrite);

  function checkRewrite(rewrite: Rewrite): void {
    if (rewrite.kind === "computed" && !model.relation(type, rewrite.relation)) {
      refuse(`refers to the undefined relation ${type}#${rewrite.relation}`);
    }
    if (rewrite.kind === "from") {
      if (model.relation(type, rewrite.tupleset)?.rewrite.kind !== "direct") {
        refuse(`reads from ${type}#${rewrite.tupleset}, which must be a relation with direct types only`);
      }
    }
    for (const child of childrenOf(rewrite)) checkRewrite(child);
  }
}
