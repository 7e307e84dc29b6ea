import type { AttributeValue, Span, SpanOptions, Tracer } from "@appserver/kernel/ports";

/** A span as it was recorded. */
export class RecordedSpan implements Span {
  name: string;
  readonly options: SpanOptions;
  readonly traceparent: string;
  readonly attributes: Record<string, AttributeValue>;
  error: unknown;
  ended = 0;

  constructor(name: string, options: SpanOptions, traceparent: string) {
    this.name = name;
    this.options = options;
    this.traceparent = traceparent;
    this.attributes = { ...options.attributes };
  }

  setName(name: string): void {
    this.name = name;
  }

  setAttribute(name: string, value: AttributeValue): void {
    this.attributes[name] = value;
  }

  recordError(error: unknown): void {
    this.error = error;
  }

  end(): void {
    this.ended += 1;
  }
}

/** Keeps every span. Span ids count from 1. The trace is the parent's, or else the trace id consists of ones. */
export class RecordingTracer implements Tracer {
  readonly enabled = true;
  readonly spans: RecordedSpan[] = [];

  startSpan(name: string, options: SpanOptions = {}): Span {
    const traceId = /^00-([0-9a-f]{32})-/.exec(options.parent ?? "")?.[1] ?? "1".repeat(32);
    const spanId = String(this.spans.length + 1).padStart(16, "0");
    const span = new RecordedSpan(name, options, `00-${traceId}-${spanId}-01`);
    this.spans.push(span);
    return span;
  }
}
