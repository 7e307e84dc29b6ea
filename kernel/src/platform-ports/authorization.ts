import type { Tuple } from "@appserver/contracts/authorization";

export type { Tuple } from "@appserver/contracts/authorization";

export interface CheckRequest extends Tuple {
  /** Tuples that are valid only for this check. */
  readonly contextualTuples?: readonly Tuple[];
  /** Values for the model's conditions. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/**
 * Relationship-based permissions with the semantics of OpenFGA. A failed check is neither yes nor no: callers deny and return
 * SERVICE_UNAVAILABLE, so nothing fails open.
 */
export interface Authorization {
  check(request: CheckRequest): Promise<boolean>;
  /** Returns one result per request, in order. */
  batchCheck(requests: readonly CheckRequest[]): Promise<readonly boolean[]>;
  /** Writes and deletes in one transaction. Writing an existing tuple and deleting a missing one are not errors. */
  write(change: { readonly writes?: readonly Tuple[]; readonly deletes?: readonly Tuple[] }): Promise<void>;
  /** Returns the stored tuples that match the given parts; `object` may be a type with an empty id: `app:`. */
  read(filter: { readonly user?: string; readonly relation?: string; readonly object?: string }): Promise<readonly Tuple[]>;
  ping(timeoutMs?: number): Promise<void>;
}
