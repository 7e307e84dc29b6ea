import { metricCatalogue } from "@appserver/contracts/metrics";
import type { Counter, Gauge, Histogram, Metrics } from "@appserver/kernel/ports";
import type { TerminalStatus } from "../domain/run.ts";
import type { RunMetrics, RunStore } from "../ports.ts";

/** Counts runs for the platform's metrics (docs/reference/metrics.md). */
export class PlatformRunMetrics implements RunMetrics {
  readonly #runs: Counter<"app" | "outcome">;
  readonly #duration: Histogram<"outcome">;
  readonly #retries: Counter<"app">;
  readonly #workers: Gauge<"app">;

  constructor(metrics: Metrics) {
    this.#runs = metrics.counter(metricCatalogue.activityRuns);
    this.#duration = metrics.histogram(metricCatalogue.activityRunDuration);
    this.#retries = metrics.counter(metricCatalogue.activityRetries);
    this.#workers = metrics.gauge(metricCatalogue.activityWorkers);
  }

  ended(app: string, status: TerminalStatus, durationMs: number | undefined): void {
    const outcome = status.toLowerCase();
    this.#runs.bind({ app, outcome }).add();
    if (durationMs !== undefined) this.#duration.bind({ outcome }).observe(durationMs / 1000);
  }

  retried(app: string): void {
    this.#retries.bind({ app }).add();
  }

  workerConnected(app: string): () => void {
    const connected = this.#workers.bind({ app });
    connected.add(1);
    return () => connected.add(-1);
  }
}

/** Registers the gauge that is counted in the database at each scrape. */
export function observeRuns(metrics: Metrics, runs: Pick<RunStore, "unfinished">): void {
  metrics.observe(metricCatalogue.activityRunsUnfinished, async () =>
    [...(await runs.unfinished())].map(([status, value]) => ({ labels: { status }, value })),
  );
}
