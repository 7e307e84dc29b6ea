import type { MaybePromise } from "@appserver/kernel";

/** A request as far as authentication looks at it, on any transport. */
export interface CredentialedRequest {
  /** In upper case. */
  readonly method: string;
  /** Path and query exactly as sent; on gRPC the `:path`. */
  readonly url: string;
  /** A WebSocket handshake: a browser sends cookies with it from any site. */
  readonly isUpgrade?: boolean;
  /** The client's address; those without one share a limit of failures. */
  readonly remoteAddress?: string;
  /** A header or metadata value by its lower-case name; several joined as HTTP joins them. */
  header(name: string): string | undefined;
  /** The whole body as sent. Absent for streams: a signature then covers an empty body. */
  readBody?(): MaybePromise<Uint8Array>;
}

/** Methods that change nothing (RFC 9110 §9.2.1). */
export function isSafeMethod(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}
