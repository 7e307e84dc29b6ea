/** A request that a client may repeat with the same key. */
export interface IdempotentRequest {
  /** Actor of the caller. Each has keys of its own. */
  readonly caller: string;
  readonly key: string;
  /** SHA-256 of everything that makes it another request. */
  readonly digest: Uint8Array;
}

/** What a request with a key finds. */
export type IdempotencyClaim =
  /** It is the first one. It does its work, and then completes or abandons the claim. */
  | { readonly outcome: "first"; readonly claim: string }
  /** The first one has ended with this response. */
  | { readonly outcome: "repeated"; readonly response: string }
  /** The first one is not done yet. */
  | { readonly outcome: "in_flight" }
  /** The key belongs to another request. */
  | { readonly outcome: "other_request" };

/** The keys of requests and their responses, shared by all replicas. */
export interface IdempotencyKeys {
  begin(request: IdempotentRequest): Promise<IdempotencyClaim>;
  /** Stores the response. Does nothing if another request has the claim by now. */
  complete(request: IdempotentRequest, claim: string, response: string): Promise<void>;
  /** Forgets the request, so that it may be repeated. */
  abandon(request: IdempotentRequest, claim: string): Promise<void>;
}
