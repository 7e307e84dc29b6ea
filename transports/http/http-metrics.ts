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
  /** By the first digit of the status. Bound at its first response, because most methods of a route have few of them. */
  readonly byStatusClass: (CounterHandle | undefined)[];
  readonly duration: HistogramHandle;
}

/** Methods with a label of their own. All others share `other`, so that no caller decides how many series there are. */
const labelled: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Counts finished requests (docs/reference/metrics.md). */
export class HttpMetrics {
  readonly #requests: Counter<"method" | "route" | "status">;
  readonly #duration: Histogram<"method" | "route">;
  /** By route, then method. */
  readonly #handles = new Map<string, Map<string, Handles>>();

  constructor(metrics: Metrics) {
    this.#requests = metrics.counter(metricCatalogue.httpRequests);
    this.#duration = metrics.histogram(metricCatalogue.httpRequestDuration);
  }

  add({ method: sent, route, status, durationMs }: FinishedRequest): void {
    const method = labelled.has(sent) ? sent : "other";
    const { byStatusClass, duration } = this.#handles.get(route)?.get(method) ?? this.#bind(route, method);
    const statusClass = Math.floor(status / 100);
    byStatusClass[statusClass] ??= this.#requests.bind({ method, route, status: `${statusClass}xx` });
    byStatusClass[statusClass]?.add();
    duration.observe(durationMs / 1000);
  }

  #bind(route: string, method: string): Handles {
    const handles = { byStatusClass: [], duration: this.#duration.bind({ method, route }) };
    const methods = this.#handles.get(route) ?? new Map<string, Handles>();
    methods.set(method, handles);
    this.#handles.set(route, methods);
    return handles;
  }
}
