import { metricCatalogue } from "@appserver/contracts/metrics";
import type { RequestRecord } from "../domain/request-record.ts";
import type { CounterHandle, HistogramHandle, Metrics } from "../ports.ts";

/** Reasons of requests that were sent to the app but got no response. */
const upstreamFailures: ReadonlySet<string | undefined> = new Set([
  "upstream_unreachable",
  "upstream_reset",
  "upstream_protocol",
  "upstream_timeout",
]);

const statusClasses = ["failed", "1xx", "2xx", "3xx", "4xx", "5xx"] as const;
type Instruments = ReturnType<typeof instrumentsOf>;

/** Counts finished requests by app (docs/reference/metrics.md). Metric handles are bound at an app's first request. */
export class RequestMetrics {
  readonly #instruments: Instruments;
  readonly #apps = new Map<string | undefined, AppRequestMetrics>();

  constructor(metrics: Metrics) {
    this.#instruments = instrumentsOf(metrics);
  }

  /** Removes the counts of an uninstalled app. */
  remove(app: string): void {
    this.#apps.delete(app);
  }

  /** `isServed` is false for an app that was uninstalled during the request: its series must not start again. */
  add(record: RequestRecord, isServed: boolean): void {
    const app = isServed ? record.app : undefined;
    let counts = this.#apps.get(app);
    if (!counts) {
      counts = new AppRequestMetrics(this.#instruments, app ?? "none");
      this.#apps.set(app, counts);
    }
    counts.add(record);
  }
}

class AppRequestMetrics {
  readonly #instruments: Instruments;
  readonly #app: string;
  readonly #requests: readonly CounterHandle[];
  readonly #upstream: readonly CounterHandle[];
  readonly #duration: HistogramHandle;
  readonly #upstreamDuration: HistogramHandle;
  readonly #limited: CounterHandle;

  constructor(instruments: Instruments, app: string) {
    this.#instruments = instruments;
    this.#app = app;
    this.#requests = statusClasses.map((status) => instruments.requests.bind({ app, status }));
    this.#upstream = statusClasses.map((status) => instruments.upstream.bind({ app, status }));
    this.#duration = instruments.duration.bind({ app });
    this.#upstreamDuration = instruments.upstreamDuration.bind({ app });
    this.#limited = instruments.limited.bind({ app });
  }

  add({ status, durationMs, upstreamMs, reasonId }: RequestRecord): void {
    const statusClass = Math.floor(status / 100);
    this.#requests[statusClass]?.add();
    this.#duration.observe(durationMs / 1000);
    if (upstreamMs !== undefined) {
      this.#upstream[statusClass]?.add();
      this.#upstreamDuration.observe(upstreamMs / 1000);
    }
    if (reasonId === undefined) return;
    if (upstreamMs === undefined && upstreamFailures.has(reasonId)) this.#upstream[0]?.add();
    if (reasonId === "rate_limited") this.#limited.add();
    this.#instruments.refusals.bind({ app: this.#app, reason: reasonId }).add();
  }
}

function instrumentsOf(metrics: Metrics) {
  return {
    requests: metrics.counter(metricCatalogue.proxyRequests),
    duration: metrics.histogram(metricCatalogue.proxyRequestDuration),
    refusals: metrics.counter(metricCatalogue.proxyRefusals),
    limited: metrics.counter(metricCatalogue.rateLimitRefusals),
    upstream: metrics.counter(metricCatalogue.upstreamRequests),
    upstreamDuration: metrics.histogram(metricCatalogue.upstreamRequestDuration),
  };
}
