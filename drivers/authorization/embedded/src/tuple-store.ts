import type { ConditionalTuple } from "./relationship.ts";

export interface TupleFilter {
  readonly user?: string;
  readonly relation?: string;
  /** `type:id`, or `type:` for every object of the type. */
  readonly object?: string;
}

export interface TupleChange {
  readonly deleted: boolean;
  readonly tuple: ConditionalTuple;
}

/** Where tuples are kept. Every committed change has a revision higher than all before it. */
export interface TupleStore {
  /** Everything, as of one revision. */
  load(): Promise<{ readonly revision: number; readonly tuples: readonly ConditionalTuple[] }>;
  /** What changed after a revision, in order; undefined where that is no longer known and all must be loaded again. */
  changesSince(revision: number): Promise<{ readonly revision: number; readonly changes: readonly TupleChange[] } | undefined>;
  /** All or nothing. Neither list names a tuple twice, and no tuple is in both. */
  apply(writes: readonly ConditionalTuple[], deletes: readonly ConditionalTuple[]): Promise<void>;
  read(filter: TupleFilter): Promise<readonly ConditionalTuple[]>;
  /** Calls back after every change by anybody, and whenever changes may have been missed. Resolves once watching. */
  watch(onChange: () => void): Promise<{ close(): Promise<void> }>;
  /** Rejects where the store does not answer. */
  ping(timeoutMs?: number): Promise<void>;
}
