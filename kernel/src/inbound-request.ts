import type { Caller } from "./caller.ts";

/** The head of an HTTP request as the client sent it, on any version of HTTP. */
export interface RequestHead {
  readonly method: string;
  /** Path and query as sent, or what the client sent in their place. */
  readonly target: string;
  /** `1.1`, `2.0` */
  readonly httpVersion: string;
  /** Names and values, alternating, as sent. On HTTP/2 with the pseudo headers. */
  readonly fields: readonly string[];
  /** Returns a header by its lower-case name. The values of a repeated one are joined as HTTP joins them. */
  header(name: string): string | undefined;
  /** Whether the connection is encrypted. */
  readonly isEncrypted: boolean;
  /** IP address of the other end of the connection. Empty once the connection is lost. */
  readonly peerAddress: string;
  /**
   * What handlers have derived from the fields, each with itself as the key. The next request of the connection gets it if its fields
   * are the same, byte for byte. Undefined where nothing is kept.
   */
  readonly derived?: Map<object, unknown> | undefined;
}

/** An HTTP request. Its handler does not know which server read it. */
export interface InboundRequest extends RequestHead {
  /** Undefined if no body follows the head. */
  readonly body: InboundBody | undefined;
}

/** How the body of a request arrives, as its listener watches it. */
export interface BodyPace {
  /**
   * Lets the body come as slowly as it does, for a body that is not buffered. The number of slow bodies of a caller is limited.
   * Called before the body is read.
   */
  allowSlow(caller: Caller, remoteAddress: string): void;
}

/** Bytes that may still be on their way. They have one reader at a time. */
export interface BodySource {
  /** Passes what has arrived and what arrives from now on to the reader, in place of an earlier one. Some of it at once. */
  read(reader: BodyReader): void;
  pause(): void;
  resume(): void;
  /** Takes the bytes from their reader, and reads no more of them. */
  stop(): void;
}

/** The body of a request. */
export interface InboundBody extends BodySource {
  /** All of it, if it came together with the head. */
  readonly bytes: Uint8Array | undefined;
  /** The declared number of bytes. Undefined if the client declared none. */
  readonly length: number | undefined;
  /** Whether all of it has arrived. */
  readonly isComplete: boolean;
  /** Undefined if it came together with the head, and where its pauses are not limited. */
  readonly pace?: BodyPace | undefined;
}

export interface BodyReader {
  /** Returns whether it keeps the chunk: otherwise the memory of the chunk may be used again at once. */
  onData(chunk: Uint8Array): boolean;
  onEnd(): void;
  /** The body has ended too early: the client went away, or `error` is why the listener has ended it. */
  onError(error: Error | undefined): void;
}
