export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";
export type AttributeValue = string | number | boolean;

export interface SpanOptions {
  /** The `traceparent` that the span continues. If it is missing or invalid, a new trace begins. */
  readonly parent?: string | undefined;
  /**
   * Whether `parent` may decide that the span is recorded. If false, the trace continues and the tracer's own ratio decides;
   * untrusted callers could otherwise set the cost of telemetry. Default true.
   */
  readonly isParentTrusted?: boolean;
  /** Default `internal`. */
  readonly kind?: SpanKind;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

/** One unit of work, from `startSpan` to `end`. */
export interface Span {
  /** Passed to the services that do a part of the work (W3C Trace Context §3.2). */
  readonly traceparent: string;
  setName(name: string): void;
  setAttribute(name: string, value: AttributeValue): void;
  /** Marks the work as failed. Stores the error's code or name, never its message. */
  recordError(error: unknown): void;
  /** Ends the span. Later calls change nothing. */
  end(): void;
}

/** Records spans and exports them in the background: no call waits, and none throws if a collector is down. */
export interface Tracer {
  /** False if nothing is recorded. A caller on a hot path then need not gather attributes or start a span. */
  readonly enabled: boolean;
  startSpan(name: string, options?: SpanOptions): Span;
}
