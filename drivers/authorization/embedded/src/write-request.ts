import { AppError, type FieldViolation } from "@appserver/kernel";
import type { Tuple } from "@appserver/kernel/ports";
import type { Model } from "./model.ts";
import { type ConditionalTuple, formatTuple, isObject, isRelation, isUserset } from "./relationship.ts";
import { invalidTuple } from "./validate-tuple.ts";

export interface WriteRequest {
  readonly writes?: readonly ConditionalTuple[];
  readonly deletes?: readonly Tuple[];
}

/**
 * Returns the request without repeated tuples. Throws AppError INVALID_REQUEST with every violation. Deleted tuples need only
 * be well formed, because they may come from an earlier model.
 */
export function checkedWrite(model: Model, request: WriteRequest): Required<WriteRequest> {
  const writes = distinct(request.writes ?? []);
  const deletes = distinct(request.deletes ?? []);
  const violations = [
    ...violationsOf("writes", request.writes ?? [], (tuple) => tooLong(tuple) ?? invalidTuple(model, tuple)),
    ...violationsOf("deletes", request.deletes ?? [], (tuple) =>
      writes.has(formatTuple(tuple)) ? `${formatTuple(tuple)} is written by the same request` : malformed(tuple),
    ),
  ];
  if (violations.length > 0) {
    const first = violations[0] ? `${violations[0].field}: ${violations[0].message}` : "";
    throw new AppError("INVALID_REQUEST", `tuples refused: ${first}`, { violations });
  }
  return { writes: [...writes.values()], deletes: [...deletes.values()] };
}

function distinct<T extends Tuple>(tuples: readonly T[]): Map<string, T> {
  return new Map(tuples.map((tuple) => [formatTuple(tuple), tuple]));
}

function violationsOf<T extends Tuple>(
  list: string,
  tuples: readonly T[],
  problemOf: (tuple: T) => string | undefined,
): FieldViolation[] {
  return tuples.flatMap((tuple, position) => {
    const message = problemOf(tuple);
    return message === undefined ? [] : [{ field: `${list}[${position}]`, message }];
  });
}

/** The lengths that OpenFGA's API allows, so that data can be moved there. */
const longest = { user: 512, relation: 50, object: 256 } as const;

function tooLong(tuple: Tuple): string | undefined {
  for (const [part, most] of Object.entries(longest) as [keyof Tuple, number][]) {
    if (Buffer.byteLength(tuple[part]) > most) return `${part} is longer than ${most} bytes`;
  }
  return undefined;
}

function malformed(tuple: Tuple): string | undefined {
  const wellFormed = (isObject(tuple.user) || isUserset(tuple.user)) && isRelation(tuple.relation) && isObject(tuple.object);
  return wellFormed ? undefined : `${formatTuple(tuple)} is malformed: expected type:id, relation and type:id`;
}
