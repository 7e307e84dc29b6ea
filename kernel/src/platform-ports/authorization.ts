/** A relationship tuple of OpenFGA: `user` has `relation` to `object`. */
export interface Tuple {
  /** `user:alice`, `app:com.example.notes`, `role:easy#assignee`, `user:*` */
  readonly user: string;
  readonly relation: string;
  /** `app:com.example.notes` */
  readonly object: string;
}

export interface CheckRequest extends Tuple {
  /** Tuples that hold for this check alone. */
  readonly contextualTuples?: readonly Tuple[];
  /** Values for the model's conditions. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/**
 * Relationship-based permissions, with OpenFGA's meaning. An error is never an answer: callers deny and say
 * SERVICE_UNAVAILABLE; nothing fails open.
 */
export interface Authorization {
  check(request: CheckRequest): Promise<boolean>;
  /** One answer per request, in order. */
  batchCheck(requests: readonly CheckRequest[]): Promise<readonly boolean[]>;
  /** Writes and deletes together or not at all. Writing what is there and deleting what is not are no errors. */
  write(change: { readonly writes?: readonly Tuple[]; readonly deletes?: readonly Tuple[] }): Promise<void>;
  /** Stored tuples that match the given parts; `object` may be a type with an empty id: `app:`. */
  read(filter: { readonly user?: string; readonly relation?: string; readonly object?: string }): Promise<readonly Tuple[]>;
  ping(timeoutMs?: number): Promise<void>;
}
