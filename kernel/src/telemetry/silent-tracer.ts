import type { Span, SpanOptions, Tracer } from "../platform-ports/tracer.ts";
import { newTraceparent, parseTraceparent } from "./trace-context.ts";

/** Records nothing, and is no link of the trace: what it was given goes on unchanged. */
class SilentSpan implements Span {
  #traceparent: string | undefined;
  readonly #parent: string | undefined;

  constructor(parent: string | undefined) {
    this.#parent = parent;
  }

  get traceparent(): string {
    this.#traceparent ??= this.#parent !== undefined && parseTraceparent(this.#parent) ? this.#parent : newTraceparent();
    return this.#traceparent;
  }

  setName(): void {}
  setAttribute(): void {}
  recordError(): void {}
  end(): void {}
}

class SilentTracer implements Tracer {
  readonly enabled = false;

  startSpan(_name: string, options?: SpanOptions): Span {
    return new SilentSpan(options?.parent);
  }
}

/** Traces nothing, yet hands on the traces that callers bring. */
export const silentTracer: Tracer = new SilentTracer();
