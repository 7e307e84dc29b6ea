import type { Caller, MaybePromise } from "@appserver/kernel";

/** The credentials of a request. */
export interface GraphqlCredentials {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /** As `RequestHead.derived`. */
  readonly derived?: Map<object, unknown> | undefined;
  /** Address of the client. Failed signatures are limited by address. */
  readonly remoteAddress: string;
  /**
   * Returns the raw body, which signatures cover; empty for GET and for WebSockets. Not called for callers without a signature.
   */
  readBody(appName: string): MaybePromise<Uint8Array>;
  /** Payload of `connection_init`, on WebSockets. */
  readonly connectionParams?: Readonly<Record<string, unknown>>;
}

/** Returns the caller, or throws AUTHENTICATION_REQUIRED, AUTHENTICATION_FAILED or SERVICE_UNAVAILABLE. */
export type Authenticate = (credentials: GraphqlCredentials) => MaybePromise<Caller>;

/**
 * Checks the caller of a WebSocket again. Throws or rejects with AUTHENTICATION_FAILED if the caller would be refused now, or
 * with SERVICE_UNAVAILABLE if the check fails.
 */
export type Reauthentication = () => MaybePromise<void>;

/** Returns the repeated check of a caller that these credentials authenticated. */
export type ReauthenticationOf = (credentials: GraphqlCredentials, caller: Caller) => Reauthentication;
