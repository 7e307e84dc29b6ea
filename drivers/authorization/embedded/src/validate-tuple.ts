import type { Tuple } from "@appserver/kernel/ports";
import type { RelationReference } from "./authorization-model.ts";
import type { Model } from "./model.ts";
import { type ConditionalTuple, isObject, isRelation, isUserset, parseSubject, typeOf } from "./relationship.ts";

/**
 * Returns why a check (`user` has `relation` to `object`?) is invalid under the model, or undefined. Allows more than {@link
 * invalidTuple}: a check may name users that could never be related directly.
 */
export function invalidQuestion(model: Model, { user, relation, object }: Tuple): string | undefined {
  if (!isObject(user) && !isUserset(user)) return `user "${user}" is malformed: expected type:id, type:id#relation or type:*`;
  const subject = parseSubject(user);
  if (!model.hasType(subject.type)) return `user "${user}" has the undefined type ${subject.type}`;
  if (subject.relation && !model.relation(subject.type, subject.relation)) {
    return `user "${user}" names the undefined relation ${subject.type}#${subject.relation}`;
  }
  if (!isObject(object)) return `object "${object}" is malformed: expected type:id`;
  if (object.endsWith(":*")) return `object "${object}" must not be a wildcard`;
  if (!model.hasType(typeOf(object))) return `object "${object}" has the undefined type ${typeOf(object)}`;
  if (!isRelation(relation)) return `relation "${relation}" is malformed`;
  if (!model.relation(typeOf(object), relation)) return `relation ${typeOf(object)}#${relation} is undefined`;
  return undefined;
}

/** Returns why a tuple cannot be stored or used under the model, or undefined. */
export function invalidTuple(model: Model, tuple: ConditionalTuple): string | undefined {
  const malformed = invalidQuestion(model, tuple);
  if (malformed) return malformed;
  const name = `${typeOf(tuple.object)}#${tuple.relation}`;
  const relation = model.relation(typeOf(tuple.object), tuple.relation);
  if (!relation) return `relation ${name} is undefined`;
  const subject = parseSubject(tuple.user);
  if (relation.isTupleset && (subject.wildcard || subject.relation)) {
    return `user "${tuple.user}" must be a single object: other relations read from ${name}`;
  }
  const kinds = relation.directTypes.filter(
    (type) =>
      type.type === subject.type &&
      (type.relation ?? "") === subject.relation &&
      (type.wildcard !== undefined) === subject.wildcard,
  );
  if (kinds.length === 0) return `user "${tuple.user}" has a type that ${name} does not allow`;
  return invalidCondition(model, kinds, tuple);
}

/** `kinds` are the direct types that match the tuple's user; they differ in their conditions. */
function invalidCondition(
  model: Model,
  kinds: readonly RelationReference[],
  { user, condition }: ConditionalTuple,
): string | undefined {
  if (!condition) return kinds.some((kind) => !kind.condition) ? undefined : `user "${user}" requires a condition`;
  const compiled = model.condition(condition.name);
  if (!compiled) return `condition ${condition.name} is undefined`;
  if (!kinds.some((kind) => kind.condition === condition.name)) {
    return `condition ${condition.name} is not one that user "${user}" may have here`;
  }
  return compiled.invalidContext(condition.context ?? {});
}
