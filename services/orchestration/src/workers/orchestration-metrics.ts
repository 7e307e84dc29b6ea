import { metricCatalogue } from "@appserver/contracts/metrics";
import type { Metrics } from "@appserver/kernel/ports";

/** Counters and histograms of the orchestrator (docs/interface/containers.md#metrics, docs/reference/metrics.md). */
export function orchestrationMetrics(metrics: Metrics) {
  return {
    containerStarts: metrics.counter(metricCatalogue.containerStarts),
    containerStops: metrics.counter(metricCatalogue.containerStops),
    restarts: metrics.counter(metricCatalogue.containerRestarts),
    switches: metrics.counter(metricCatalogue.deploymentSwitches),
    drainDuration: metrics.histogram(metricCatalogue.deploymentDrainDuration),
    pullDuration: metrics.histogram(metricCatalogue.imagePullDuration),
    healthChecks: metrics.counter(metricCatalogue.healthChecks),
  };
}

export type OrchestrationMetrics = ReturnType<typeof orchestrationMetrics>;
