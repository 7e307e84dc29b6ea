/** A request that a client may repeat with the same key. */
export interface IdempotentRequest {
  /** Actor of the caller. Each has keys of its own. */
  readonly caller: string;
  readonly key: string;
  /** SHA-256 of everything that makes it another request. */
  readonly digest: Uint8Array;
}

/** The ids of what a request has made, by names that its use case chooses. Never contains secrets. */
export type WorkReceipt = Readonly<Record<string, string | number>>;

/** The work of a request with a key, in one of its attempts. */
export interface KeyedWork extends Pick<IdempotentRequest, "caller" | "key"> {
  readonly claim: string;
  /** What an earlier attempt has made. Then nothing may be made again. */
  readonly earlier: WorkReceipt | undefined;
  /** Whether an earlier attempt was interrupted. It has stored nothing in the database, but may have changed another server. */
  readonly isRepeated: boolean;
}

/** What a request with a key finds. */
export type IdempotencyClaim =
  /** It does the work, and then completes or fails. */
  | { readonly outcome: "first"; readonly work: KeyedWork }
  /** An earlier one has done the work. */
  | { readonly outcome: "done"; readonly work: KeyedWork }
  /** An earlier one is not done yet, or its outcome is not known yet. */
  | { readonly outcome: "in_flight" }
  /** The key belongs to another request. */
  | { readonly outcome: "other_request" };

/** The keys of requests, shared by all replicas. All times are those of the database. */
export interface IdempotencyKeys {
  begin(request: IdempotentRequest): Promise<IdempotencyClaim>;
  /** Ends a request that has succeeded. */
  complete(work: KeyedWork): Promise<void>;
  /**
   * Ends a request that has failed. A key is free only if nothing was stored, and then nothing can be stored later. If that cannot be
   * known yet, the key stays taken until it is. Never rejects.
   */
  fail(work: KeyedWork): Promise<void>;
}
