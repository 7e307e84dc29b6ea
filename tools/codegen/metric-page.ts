import { metricCatalogue } from "@appserver/contracts/metrics";

interface Entry {
  readonly name: string;
  readonly kind: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** Generates `docs/reference/metrics.md`: every metric of the platform. */
export function generateMetricPage(): string {
  const entries: readonly Entry[] = Object.values(metricCatalogue);
  const rows = entries.map(({ name, kind, labels, help }) => `| ${name} | ${kind} | ${labels.join(", ")} | ${help} |`);
  return `<!-- Generated from contracts/metrics/catalogue.ts by \`npm run generate\`. Do not edit. -->

# Metrics

\`GET /metrics\` of the application server returns Prometheus text (version 0.0.4). A \`status\` is a status class (\`2xx\`). A
\`route\` is a pattern, never a path: \`/*\` is a page of an app or a path that nothing serves. An
\`app\` is an installed app, or \`none\`. Histograms of seconds have buckets from 1 ms to 30 s unless their description states
otherwise. A metric has a limited number of series ([limits](../interface/limits.md#metrics-and-records)): further values of a label
are \`other\`. A metric has no values before its first event. A gauge that is read from a
dependency is missing while the dependency is unreachable. If several workers share a port, each has its own series with the
label \`worker\`. Add up their counters. A gauge of the outbox, of queues or of the whole platform has the same value in every
worker: use \`max\`, not \`sum\`. Metrics of containers, deployments and images are on the \`/metrics\` of the
orchestrator, in \`appserver dev\` on that of the server ([containers](../interface/containers.md#metrics)).

| metric | kind | labels | meaning |
| --- | --- | --- | --- |
${rows.join("\n")}

In addition, the endpoint has the standard metrics of the process: \`process_*\` (processor time, memory, open files, start time)
and \`nodejs_*\` (event loop lag, heap, garbage collection, version).
`;
}
