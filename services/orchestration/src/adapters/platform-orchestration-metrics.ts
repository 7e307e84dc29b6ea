import { metricCatalogue } from "@appserver/contracts/metrics";
import type { Counter, Histogram, Metrics } from "@appserver/kernel/ports";
import type { OrchestrationMetrics } from "../ports.ts";

/** Counts the work of the orchestrator (docs/interface/containers.md#metrics, docs/reference/metrics.md). */
export class PlatformOrchestrationMetrics implements OrchestrationMetrics {
  readonly #metrics: Metrics;
  readonly #onRemoved: (app: string) => void;
  readonly #starts: Counter<"app">;
  readonly #stops: Counter<"app">;
  readonly #restarts: Counter<"app">;
  readonly #switches: Counter<"app">;
  readonly #drains: Histogram<never>;
  readonly #pulls: Histogram<"outcome">;
  readonly #healthChecks: Counter<"app" | "outcome">;

  /** `onRemoved` removes what else is known of an app. */
  constructor(metrics: Metrics, onRemoved: (app: string) => void) {
    this.#metrics = metrics;
    this.#onRemoved = onRemoved;
    this.#starts = metrics.counter(metricCatalogue.containerStarts);
    this.#stops = metrics.counter(metricCatalogue.containerStops);
    this.#restarts = metrics.counter(metricCatalogue.containerRestarts);
    this.#switches = metrics.counter(metricCatalogue.deploymentSwitches);
    this.#drains = metrics.histogram(metricCatalogue.deploymentDrainDuration);
    this.#pulls = metrics.histogram(metricCatalogue.imagePullDuration);
    this.#healthChecks = metrics.counter(metricCatalogue.healthChecks);
  }

  containerStarted(app: string): void {
    this.#starts.bind({ app }).add();
  }

  containerStopped(app: string): void {
    this.#stops.bind({ app }).add();
  }

  imagePulled(_app: string, durationMs: number, outcome: "success" | "failure"): void {
    this.#pulls.bind({ outcome }).observe(durationMs / 1000);
  }

  healthChecked(app: string, outcome: "healthy" | "unhealthy"): void {
    this.#healthChecks.bind({ app, outcome }).add();
  }

  restarted(app: string): void {
    this.#restarts.bind({ app }).add();
  }

  switched(app: string): void {
    this.#switches.bind({ app }).add();
  }

  retired(durationMs: number): void {
    this.#drains.bind({}).observe(durationMs / 1000);
  }

  removed(app: string): void {
    this.#onRemoved(app);
    this.#metrics.remove({ app });
  }
}
