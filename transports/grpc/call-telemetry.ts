import { metricCatalogue } from "@appserver/contracts/metrics";
import { newTraceparent, parseTraceparent } from "@appserver/kernel";
import type { Counter, Histogram, Metrics, Span, Tracer } from "@appserver/kernel/ports";

/** The method of a call. */
export interface CalledMethod {
  readonly service: string;
  readonly method: string;
}

/** The telemetry of one call. */
export interface MeasuredCall {
  /** Trace of the call's work and of the events that it causes. */
  readonly traceparent: string;
  /** `code`: `OK`, or the name of the gRPC status. */
  finished(code: string, durationMs: number): void;
}

/** The codes that OpenTelemetry counts as errors of a server. All others are a caller's. */
const faults: ReadonlySet<string> = new Set([
  "Unknown",
  "DeadlineExceeded",
  "Unimplemented",
  "Internal",
  "Unavailable",
  "DataLoss",
]);

/** Returns the canonical name of a code of Connect: NOT_FOUND for `NotFound`. */
function statusName(code: string): string {
  if (code === "OK") return code;
  return code === "Canceled" ? "CANCELLED" : code.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}

/** Counts calls and records their spans (docs/reference/metrics.md; OpenTelemetry's semantic conventions for RPC). */
export class CallTelemetry {
  readonly #calls: Counter<"service" | "method" | "code">;
  readonly #duration: Histogram<"service" | "method">;
  readonly #tracer: Tracer;

  constructor(metrics: Metrics, tracer: Tracer) {
    this.#calls = metrics.counter(metricCatalogue.grpcCalls);
    this.#duration = metrics.histogram(metricCatalogue.grpcCallDuration);
    this.#tracer = tracer;
  }

  /** `inbound`: the caller's traceparent as sent. It decides about recording only if the caller is authenticated. */
  begin(called: CalledMethod, isUnary: boolean, inbound: string | undefined, isKnown: boolean): MeasuredCall {
    const span = this.#startSpan(called, inbound, isKnown);
    return {
      traceparent: span?.traceparent ?? (parseTraceparent(inbound) && inbound) ?? newTraceparent(),
      finished: (code, durationMs) => {
        this.#calls.bind({ ...called, code }).add();
        if (isUnary) this.#duration.bind({ ...called }).observe(durationMs / 1000);
        span?.setAttribute("rpc.response.status_code", statusName(code));
        if (faults.has(code)) span?.recordError(code);
        span?.end();
      },
    };
  }

  #startSpan({ service, method }: CalledMethod, inbound: string | undefined, isKnown: boolean): Span | undefined {
    if (!this.#tracer.enabled) return undefined;
    return this.#tracer.startSpan(`${service}/${method}`, {
      parent: inbound,
      isParentTrusted: isKnown,
      kind: "server",
      attributes: { "rpc.system": "grpc", "rpc.service": service, "rpc.method": method },
    });
  }
}
