import type { StoredDatabase } from "@appserver/contracts/deployments";
import { metricCatalogue } from "@appserver/contracts/metrics";
import type { Metrics } from "@appserver/kernel/ports";

/** Shows the size of each app's database and its limit at each scrape (docs/interface/containers.md#metrics). */
export function exposeDatabaseSizes(metrics: Metrics, sizes: () => readonly StoredDatabase[]): void {
  metrics.observe(metricCatalogue.databaseSize, () =>
    sizes().map(({ appName, usedBytes }) => ({ labels: { app: appName }, value: usedBytes })),
  );
  metrics.observe(metricCatalogue.databaseSizeLimit, () =>
    sizes().map(({ appName, limitBytes }) => ({ labels: { app: appName }, value: limitBytes })),
  );
}
