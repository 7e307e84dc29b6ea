import { formatTraceparent, isAppError } from "@appserver/kernel";
import type { AttributeValue, Span } from "@appserver/kernel/ports";
import { type Span as OpenTelemetrySpan, SpanStatusCode } from "@opentelemetry/api";

/** Adapts OpenTelemetry's span to the port. */
export class OtlpSpan implements Span {
  readonly #span: OpenTelemetrySpan;

  constructor(span: OpenTelemetrySpan) {
    this.#span = span;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    return formatTraceparent({ traceId, spanId, isSampled: (traceFlags & 1) === 1 });
  }

  setName(name: string): void {
    this.#span.updateName(name);
  }

  setAttribute(name: string, value: AttributeValue): void {
    this.#span.setAttribute(name, value);
  }

  recordError(error: unknown): void {
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message: nameOf(error) });
  }

  end(): void {
    this.#span.end();
  }
}

/** Returns the error's name: messages of unexpected errors may quote sensitive data, names do not. */
function nameOf(error: unknown): string {
  if (isAppError(error)) return error.code;
  return error instanceof Error ? error.name : "Error";
}
