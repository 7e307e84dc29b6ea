import { metricCatalogue } from "@appserver/contracts/metrics";
import type { Counter, CounterHandle, Histogram, HistogramHandle, Metrics } from "@appserver/kernel/ports";

/** A finished request, for metrics and the log. `route` is the pattern, never the path. */
export interface FinishedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

interface Handles {
  readonly byStatusClass: readonly CounterHandle[];
  readonly duration: HistogramHandle;
}

const statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

/** Counts finished requests (docs/reference/metrics.md). Uses only methods and routes that the listener knows. */
export class HttpMetrics {
  readonly #requests: Counter<"method" | "route" | "status">;
  readonly #duration: Histogram<"method" | "route">;
  /** By route, then method. */
  readonly #handles = new Map<string, Map<string, Handles>>();

  constructor(metrics: Metrics) {
    this.#requests = metrics.counter(metricCatalogue.httpRequests);
    this.#duration = metrics.histogram(metricCatalogue.httpRequestDuration);
  }

  add({ method, route, status, durationMs }: FinishedRequest): void {
    const { byStatusClass, duration } = this.#handles.get(route)?.get(method) ?? this.#bind(route, method);
    byStatusClass[Math.floor(status / 100) - 1]?.add();
    duration.observe(durationMs / 1000);
  }

  #bind(route: string, method: string): Handles {
    const handles = {
      byStatusClass: statusClasses.map((status) => this.#requests.bind({ method, route, status })),
      duration: this.#duration.bind({ method, route }),
    };
    const methods = this.#handles.get(route) ?? new Map<string, Handles>();
    methods.set(method, handles);
    this.#handles.set(route, methods);
    return handles;
  }
}
