import type { Caller, MaybePromise } from "@appserver/kernel";

/** What every resolver gets. */
export interface GraphqlContext {
  readonly caller: Caller;
  readonly requestId: string;
  /** Aborted when nobody waits for the result any more: the client is gone, or the subscription is over. */
  readonly signal: AbortSignal;
}

/** What a request proves its caller with. */
export interface GraphqlCredentials {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The client's: how often signatures fail is limited by it. */
  readonly remoteAddress: string;
  /** The raw body, which signatures cover; empty for GET and for WebSockets. It is not read for callers without a signature. */
  readBody(): MaybePromise<Uint8Array>;
  /** Payload of `connection_init`, on WebSockets. */
  readonly connectionParams?: Readonly<Record<string, unknown>>;
}

/** Tells the caller, or throws AUTHENTICATION_REQUIRED, AUTHENTICATION_FAILED or SERVICE_UNAVAILABLE. */
export type Authenticate = (credentials: GraphqlCredentials) => MaybePromise<Caller>;

/**
 * Throws or rejects once the caller of a WebSocket would be refused: with AUTHENTICATION_FAILED, or with SERVICE_UNAVAILABLE if
 * that cannot be found out.
 */
export type Standing = () => MaybePromise<void>;

/** The standing of a caller whom these credentials authenticated. */
export type StandingOf = (credentials: GraphqlCredentials, caller: Caller) => Standing;

/** A context whose signal is made only when a resolver asks for it. */
export class OperationContext implements GraphqlContext {
  readonly caller: Caller;
  readonly requestId: string;
  #abort: AbortController | undefined;
  #over = false;

  constructor(caller: Caller, requestId: string) {
    this.caller = caller;
    this.requestId = requestId;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#over) this.#abort.abort();
    return this.#abort.signal;
  }

  /** Nobody waits any more. */
  end(): void {
    this.#over = true;
    this.#abort?.abort();
  }
}
