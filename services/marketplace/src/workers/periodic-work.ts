import { type PeriodicTask, PeriodicTasks } from "@appserver/kernel";
import type { GrantComparisons } from "../ports.ts";
import { applyDeployments, applyResuming, deployedApps } from "../use-cases/apply-deployment.ts";
import type { MarketplaceContext } from "../use-cases/context.ts";
import { replaceOutOfDate } from "../use-cases/replace-out-of-date.ts";
import type { ExternalHealthWatch } from "./external-health-watch.ts";
import { repairGrants } from "./repair-grants.ts";
import { interruptedOperations, resumeOperations, resumeUpgrades } from "./resume-operations.ts";
import { leftGrantApps, revokeLeftGrants } from "./revoke-left-grants.ts";

/** Interval at which interrupted commands and grants are resumed, external apps probed, and deployments read without an event. */
const intervals = { resumeMs: 2_000, grantsMs: 10_000, probeMs: 1_000, resumingMs: 1_000, deploymentsMs: 30_000 } as const;

/** Returns what every replica repeats. Locks and leases decide which replica acts on an app. */
export function periodicWork(
  context: MarketplaceContext,
  health: ExternalHealthWatch,
  comparisons: GrantComparisons,
): PeriodicTasks {
  const { clock, logger } = context;
  return new PeriodicTasks({ name: "marketplace", clock, logger, tasks: tasksOf(context, health, comparisons) });
}

/** While nothing happens, the number of statements of a turn does not depend on the number of apps. */
export function tasksOf(
  context: MarketplaceContext,
  health: ExternalHealthWatch,
  comparisons: GrantComparisons,
): readonly PeriodicTask[] {
  const operations = interruptedOperations(context);
  const leftGrants = leftGrantApps(context);
  const [resuming, deployed] = [deployedApps(context), deployedApps(context)];
  return [
    { name: "operations", intervalMs: intervals.resumeMs, run: () => resumeOperations(context, operations) },
    { name: "upgrades", intervalMs: intervals.resumeMs, run: () => resumeUpgrades(context) },
    { name: "out-of-date deployments", intervalMs: intervals.resumeMs, run: () => replaceOutOfDate(context) },
    { name: "left grants", intervalMs: intervals.grantsMs, run: () => revokeLeftGrants(context, leftGrants) },
    { name: "missing grants", intervalMs: intervals.grantsMs, run: () => repairGrants({ ...context, comparisons }) },
    { name: "external health", intervalMs: intervals.probeMs, run: () => health.tick() },
    { name: "resuming apps", intervalMs: intervals.resumingMs, run: () => applyResuming(context, resuming) },
    { name: "deployments", intervalMs: intervals.deploymentsMs, run: () => applyDeployments(context, deployed) },
  ];
}
