export { OtlpTracer, type OtlpTracerOptions } from "./otlp-tracer.ts";
