/** What a listener knows of a request apart from the message, before any handler runs. */
export interface RequestContext {
  /** `^[A-Za-z0-9._-]{1,64}$`: the caller's if it is well formed, else a UUIDv7. */
  readonly requestId: string;
  /** Address of the peer, or the client's address that trusted proxies report. */
  readonly remoteAddress: string;
  /** Protocol of the client if a trusted proxy reports it; otherwise absent. */
  readonly protocol?: "http" | "https" | undefined;
  /** Host and port as the client sent them, if a trusted proxy reports them. */
  readonly host?: string | undefined;
  /** The origins at which browsers reach the platform, as far as a content policy can name them: that of this request, and the public one. */
  readonly origins?: readonly string[] | undefined;
  /** The trace of the request (W3C Trace Context): that of its span, else the caller's if it is well formed, else a new one. */
  readonly traceparent: string;
  /** Whether `traceparent` is that of a span of the listener. */
  readonly hasSpan?: boolean | undefined;
  /** True if the listener did not respond to `Expect: 100-continue`. The handler requests the body only when it needs it. */
  readonly awaitsContinue?: boolean | undefined;
}
