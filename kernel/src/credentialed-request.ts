import type { MaybePromise } from "./maybe-promise.ts";

/** The parts of a request that authentication uses, on any transport. */
export interface CredentialedRequest {
  /** In upper case. */
  readonly method: string;
  /** Path and query exactly as sent; on gRPC the `:path`. */
  readonly url: string;
  /** True for a WebSocket handshake. A browser sends cookies with it from any site. */
  readonly isUpgrade?: boolean;
  /** The client's address. Clients without one share a limit of failures. */
  readonly remoteAddress?: string;
  /** Returns a header or metadata value by its lower-case name. Several values are joined as HTTP joins them. */
  header(name: string): string | undefined;
  /** As `RequestHead.derived`. */
  readonly derived?: Map<object, unknown> | undefined;
  /**
   * Returns the complete body as sent, buffered in the share of the app whose key made the signature. Undefined for streams: a
   * signature then covers an empty body.
   */
  readBody?(appName: string): MaybePromise<Uint8Array>;
}
