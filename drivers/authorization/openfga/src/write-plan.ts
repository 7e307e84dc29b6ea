import { AppError } from "@appserver/kernel";
import type { Tuple } from "@appserver/kernel/ports";

/** What OpenFGA takes in one transaction, writes and deletes together, and in one question's contextual tuples. */
export const tuplesPerRequest = 100;

export interface TupleChange {
  readonly writes: readonly Tuple[];
  readonly deletes: readonly Tuple[];
}

/**
 * The requests that make a change: one where it fits into one, and so happens as a whole. A larger change goes in several,
 * all deletes before all writes: what stops half way has granted less than it should, never more.
 *
 * Throws AppError INVALID_REQUEST where one tuple is both written and deleted.
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
  // Only the three parts: whatever else an object may carry is not ours to send.
  return new Map(
    tuples.map(({ user, relation, object }) => [`${object}#${relation}@${user}`, { user, relation, object }] as const),
  );
}
