import type { Tuple } from "@appserver/kernel/ports";

/** A tuple that is valid only if its condition is met. */
export interface ConditionalTuple extends Tuple {
  readonly condition?: TupleCondition;
}

export interface TupleCondition {
  readonly name: string;
  /** Values fixed by the tuple; they override those of a request. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** The parts of `type:id`, `type:id#relation` or `type:*`. */
export interface Subject {
  readonly type: string;
  /** `type:id` without the relation. */
  readonly object: string;
  /** Empty if the subject is not a userset. */
  readonly relation: string;
  readonly wildcard: boolean;
}

const objectPattern = /^[^:#\s]+:[^:#\s]+$/;
const usersetPattern = /^[^:#\s]+:[^:#\s]+#[^:#\s]+$/;
const relationPattern = /^[^:#@\s]+$/;

export function isObject(text: string): boolean {
  return objectPattern.test(text);
}

export function isUserset(text: string): boolean {
  return usersetPattern.test(text);
}

export function isRelation(text: string): boolean {
  return relationPattern.test(text);
}

export function typeOf(objectOrUserset: string): string {
  return objectOrUserset.slice(0, Math.max(0, objectOrUserset.indexOf(":")));
}

export function parseSubject(user: string): Subject {
  const hash = user.indexOf("#");
  const object = hash < 0 ? user : user.slice(0, hash);
  return {
    type: typeOf(object),
    object,
    relation: hash < 0 ? "" : user.slice(hash + 1),
    wildcard: hash < 0 && object.endsWith(":*"),
  };
}

/**
 * Returns the key of all tuples with one object and relation. As text it is also the userset of the users with that relation.
 */
export function usersetOf(object: string, relation: string): string {
  return `${object}#${relation}`;
}

export function formatTuple(tuple: Tuple): string {
  return `${tuple.object}#${tuple.relation}@${tuple.user}`;
}
