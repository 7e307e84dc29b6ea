import type { Deployments } from "@appserver/contracts/deployments";
import { metricCatalogue } from "@appserver/contracts/metrics";
import type { Clock } from "@appserver/kernel";
import type { Metrics } from "@appserver/kernel/ports";
import type { AppRecord } from "../domain/app.ts";

interface Sources {
  readonly apps: { all(): readonly { readonly app: Pick<AppRecord, "name" | "state" | "asleepSince"> }[] };
  readonly deployments: Pick<Deployments, "faults">;
  readonly clock: Clock;
}

/** Shows at each scrape the states of apps, and what their deployments wait for (docs/reference/metrics.md). */
export function exposeApps(metrics: Metrics, { apps, deployments, clock }: Sources): void {
  metrics.observe(metricCatalogue.appState, () =>
    apps.all().map(({ app: { name: app, state } }) => ({ labels: { app, state }, value: 1 })),
  );
  metrics.observe(metricCatalogue.appAsleep, () =>
    apps.all().flatMap(({ app: { name: app, asleepSince } }) => (asleepSince ? { labels: { app }, value: 1 } : [])),
  );
  metrics.observe(metricCatalogue.appFault, async () => {
    const longest = new Map<string, { readonly labels: { readonly app: string; readonly kind: string }; value: number }>();
    for (const { appName: app, kind, since } of await deployments.faults()) {
      // Oldest first: of two deployments of an app that wait for the same, the first one counts.
      const key = `${app} ${kind}`;
      if (!longest.has(key))
        longest.set(key, { labels: { app, kind }, value: Math.max(0, clock.now() - since.getTime()) / 1_000 });
    }
    return [...longest.values()];
  });
}
