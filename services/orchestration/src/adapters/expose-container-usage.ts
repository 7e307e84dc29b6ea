import { metricCatalogue } from "@appserver/contracts/metrics";
import type { Metrics, Reading } from "@appserver/kernel/ports";
import type { AppUsage } from "../domain/container-usage.ts";

/** Shows the usage of each app at each scrape (docs/interface/containers.md#metrics). */
export function exposeContainerUsage(metrics: Metrics, usage: () => readonly AppUsage[]): void {
  const readings = (read: (usage: AppUsage) => number | undefined) => (): readonly Reading<"app">[] =>
    usage().flatMap((each) => {
      const value = read(each);
      return value === undefined ? [] : [{ labels: { app: each.appName }, value }];
    });
  metrics.observe(
    metricCatalogue.containerMemory,
    readings(({ memoryBytes }) => memoryBytes),
  );
  metrics.observe(
    metricCatalogue.containerMemoryLimit,
    readings(({ memoryLimitBytes }) => memoryLimitBytes),
  );
  metrics.observe(
    metricCatalogue.containerCpu,
    readings(({ cpuSeconds }) => cpuSeconds),
  );
  // A counter that is 0 before its first event: `increase()` does not count the first value of a series.
  metrics.observe(
    metricCatalogue.containerRestarts,
    readings(() => 0),
  );
}
