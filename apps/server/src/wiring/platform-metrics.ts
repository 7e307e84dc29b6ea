import { metricCatalogue } from "@appserver/contracts/metrics";
import { outboxBacklog, singleFlight } from "@appserver/kernel";
import type { Broker, Database, Metrics } from "@appserver/kernel/ports";
import type { HealthChecks } from "@appserver/transports/http";

export interface MeasuredParts {
  readonly database: Database;
  readonly broker: Broker;
  readonly health: HealthChecks;
}

/** Gauges that are read from the dependencies at each scrape (docs/reference/metrics.md). */
export function measurePlatform(metrics: Metrics, { database, broker, health }: MeasuredParts): void {
  metrics.gauge(metricCatalogue.buildInfo).bind({ version: health.version, node: process.version }).set(1);
  metrics.observe(metricCatalogue.dependencyUp, async () => {
    const { checks } = await health.readiness();
    return checks.map(({ name, status }) => ({ labels: { dependency: name }, value: status === "up" ? 1 : 0 }));
  });
  // Two gauges of one scrape share one query.
  const backlog = singleFlight(() => outboxBacklog(database));
  metrics.observe(metricCatalogue.outboxPending, async () => [{ labels: {}, value: (await backlog()).pending }]);
  metrics.observe(metricCatalogue.outboxLag, async () => [{ labels: {}, value: (await backlog()).oldestAgeSeconds }]);
  const depths = singleFlight(async () => (await broker.queueDepths?.()) ?? []);
  metrics.observe(metricCatalogue.queueDepth, async () =>
    (await depths()).map(({ queue, pending }) => ({ labels: { queue }, value: pending })),
  );
  metrics.observe(metricCatalogue.queueDead, async () =>
    (await depths()).map(({ queue, dead }) => ({ labels: { queue }, value: dead })),
  );
}
