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

\`GET /metrics\` of the application server answers with Prometheus text (version 0.0.4). A status is its class (\`2xx\`); a
\`route\` is a pattern, never a path; an \`app\` is an installed one, or \`none\`. Histograms of seconds have buckets from 1 ms to
30 s unless they say otherwise. A metric has values once something has been counted. Gauges that are looked up in a dependency
are missing while it does not answer. Of several workers on a port each has its own series, told apart by the label \`worker\`:
counts add up; a gauge of the outbox, of queues or of the whole platform has the same value at each, so take \`max\`, not \`sum\`.

| metric | kind | labels | meaning |
| --- | --- | --- | --- |
${rows.join("\n")}

Beside these are the usual ones of the process: \`process_*\` (processor time, memory, open files, start time) and
\`nodejs_*\` (event loop lag, heap, garbage collection, version).
`;
}
