import type { HeaderBlock } from "./header-block.ts";

/** The response to an {@link InboundRequest}. Nothing that is called after the connection was lost throws. */
export interface OutboundResponse {
  /** That of the head. 200 before {@link writeHead}. */
  readonly status: number;
  readonly isHeadSent: boolean;
  /** Whether the connection, or the stream of HTTP/2, is over. */
  readonly isClosed: boolean;
  /** Whether all of the response was given to the system. */
  readonly isFinished: boolean;
  /** Sets a header of the head, unless {@link writeHead} has the same one. */
  setHeader(name: string, value: string): void;
  hasHeader(name: string): boolean;
  /** Sends 100 Continue, for which the client may be waiting with its body. */
  writeContinue(): void;
  /**
   * Sets the head: names and values, alternating. It leaves with the first bytes of the body, or with {@link flushHead}. Throws, and
   * sets nothing, if the version of HTTP cannot carry it. `shared` come first.
   */
  writeHead(status: number, headers: readonly string[], shared?: HeaderBlock): void;
  flushHead(): void;
  /** Whether a part of what was written is still in memory. Then the memory of the last chunk is still read. */
  readonly hasUnsent: boolean;
  /**
   * Returns false if the client should read first: {@link onDrain} tells when it has. Unless it `mayKeep` the chunk, it copies what it
   * cannot send at once. Default: it may.
   */
  write(chunk: Uint8Array, mayKeep?: boolean): boolean;
  /** Ends the response. A rest of the request's body is read and dropped, within a limit of time, so that the client gets the response. */
  end(last?: Uint8Array | string, mayKeep?: boolean): void;
  /** Ends the connection, or the stream of HTTP/2, so that the client sees the response as incomplete. */
  abort(): void;
  /** Calls the listener once, when the response was given to the system, or the connection was lost before. */
  onClose(listener: () => void): void;
  onDrain(listener: () => void): void;
}
