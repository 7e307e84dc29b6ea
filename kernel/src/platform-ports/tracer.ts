export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";
export type AttributeValue = string | number | boolean;

export interface SpanOptions {
  /** The `traceparent` that the span continues; one that is not valid, or none, begins a trace. */
  readonly parent?: string | undefined;
  /**
   * Whether `parent` may decide that the span is recorded. If not, the trace continues, and the tracer's own ratio decides:
   * strangers could otherwise set the cost of telemetry. Default true.
   */
  readonly isParentTrusted?: boolean;
  /** Default `internal`. */
  readonly kind?: SpanKind;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

/** One piece of work, from `startSpan` to `end`. */
export interface Span {
  /** What goes to those who do a part of the work (W3C Trace Context §3.2). */
  readonly traceparent: string;
  setName(name: string): void;
  setAttribute(name: string, value: AttributeValue): void;
  /** The work failed. Of the error its code or name is kept, never its message. */
  recordError(error: unknown): void;
  /** Once; what comes after changes nothing. */
  end(): void;
}

/** Records spans and sends them away in the background: no call waits, none throws because a collector is down. */
export interface Tracer {
  /** False when nothing is recorded: then a caller on a hot path need not gather attributes, or start a span at all. */
  readonly enabled: boolean;
  startSpan(name: string, options?: SpanOptions): Span;
}
