/** What a listener knows of a request apart from the message, before any handler runs. */
export interface RequestContext {
  /** `^[A-Za-z0-9._-]{1,64}$`: the caller's if it is well formed, else a UUIDv7. */
  readonly requestId: string;
  /** Address of the peer, or the client's address that trusted proxies report. */
  readonly remoteAddress: string;
  /** Protocol of the client if a trusted proxy reports it; otherwise absent. */
  readonly protocol?: "http" | "https";
  /** Host and port as the client sent them, if a trusted proxy reports them. */
  readonly host?: string;
  /** Traceparent of the request's span, if spans are recorded. */
  readonly traceparent?: string;
  /** True if the listener did not respond to `Expect: 100-continue`. The handler requests the body only when it needs it. */
  readonly awaitsContinue?: boolean;
}
