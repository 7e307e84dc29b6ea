import type { Span, SpanOptions, Tracer } from "../platform-ports/tracer.ts";
import { newTraceparent, parseTraceparent } from "./trace-context.ts";

/** Records nothing and adds no span to the trace: it passes on its `traceparent` unchanged. */
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

/** A tracer that records nothing but passes on the traces of callers. */
export const silentTracer: Tracer = new SilentTracer();
