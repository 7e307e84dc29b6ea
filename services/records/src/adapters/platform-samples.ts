import { metricCatalogue } from "@appserver/contracts/metrics";
import type { Metrics } from "@appserver/kernel/ports";
import type { ProcessIdentity } from "../domain/process-identity.ts";
import type { SampleSource } from "../ports.ts";
import { CounterSamples } from "./counter-samples.ts";
import { ProcessSamples } from "./process-samples.ts";

/** Returns what is sampled of this process besides requests to apps: counts of hooks and activities, and the process itself. */
export function platformSamples(metrics: Metrics, identity: ProcessIdentity): readonly SampleSource[] {
  return [
    new CounterSamples(
      () => metrics.totals(metricCatalogue.hookTriggers),
      ({ app }) => ({ appName: app, name: "hooks.triggered" }),
    ),
    new CounterSamples(
      () => metrics.totals(metricCatalogue.hookDeliveries),
      ({ app, outcome }) => ({ appName: app, name: `hooks.${outcome}` }),
    ),
    new CounterSamples(
      () => metrics.totals(metricCatalogue.activityRuns),
      ({ app, outcome }) => ({ appName: app, name: `activities.${outcome}` }),
    ),
    new CounterSamples(
      () => metrics.totals(metricCatalogue.activityRetries),
      ({ app }) => ({ appName: app, name: "activities.retried" }),
    ),
    new ProcessSamples(identity),
  ];
}
