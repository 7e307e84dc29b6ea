import type { CounterDefinition, GaugeDefinition, HistogramDefinition, Metrics } from "@appserver/kernel/ports";

/** Records one value of a metric, so that it appears in the exposition. */
export function countOnce(metrics: Metrics, definition: CounterDefinition | GaugeDefinition | HistogramDefinition): void {
  const labels = Object.fromEntries(definition.labels.map((label) => [label, "some"]));
  if (definition.kind === "counter") metrics.counter(definition).bind(labels).add();
  else if (definition.kind === "gauge") metrics.gauge(definition).bind(labels).set(1);
  else metrics.histogram(definition).bind(labels).observe(0.2);
}
