import { AppError } from "@appserver/kernel";
import type { Tuple } from "@appserver/kernel/ports";

/** Maximum tuples of OpenFGA in one transaction, writes and deletes together, and in one check's contextual tuples. */
export const tuplesPerRequest = 100;

export interface TupleChange {
  readonly writes: readonly Tuple[];
  readonly deletes: readonly Tuple[];
}

/**
 * Returns the requests that make a change: one if it fits, so that the change is atomic. A larger change is split into several,
 * all deletes before all writes: if it stops half-way, it has granted less than it should, never more.
 *
 * Throws AppError INVALID_REQUEST if a tuple is both written and deleted.
 */
export function planWrites(change: { readonly writes?: readonly Tuple[]; readonly deletes?: readonly Tuple[] }): TupleChange[] {
  const writes = distinct(change.writes ?? []);
  const deletes = distinct(change.deletes ?? []);
  for (const [key] of writes) {
    if (deletes.has(key)) throw new AppError("INVALID_REQUEST", `${key} is written and deleted by the same request`);
  }
  if (writes.size + deletes.size === 0) return [];
  if (writes.size + deletes.size <= tuplesPerRequest) return [{ writes: [...writes.values()], deletes: [...deletes.values()] }];
  return [
    ...chunks([...deletes.values()], tuplesPerRequest).map((chunk) => ({ writes: [], deletes: chunk })),
    ...chunks([...writes.values()], tuplesPerRequest).map((chunk) => ({ writes: chunk, deletes: [] })),
  ];
}

export function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}

function distinct(tuples: readonly Tuple[]): Map<string, Tuple> {
  // Copies only the three parts: other properties of the object must not be sent.
  return new Map(
    tuples.map(({ user, relation, object }) => [`${object}#${relation}@${user}`, { user, relation, object }] as const),
  );
}
