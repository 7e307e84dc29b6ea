import { PeriodicTasks } from "@appserver/kernel";
import type { HooksContext } from "../use-cases/context.ts";
import { refreshSources } from "../use-cases/hook-sources.ts";

const intervals = { sourcesMs: 60_000, dropMs: 60_000, groupsMs: 30_000, cleanMs: 300_000 } as const;

/** Returns what every replica repeats: it repairs what lost events left behind, and deletes old deliveries. */
export function periodicWork(context: HooksContext): PeriodicTasks {
  const { deliveries, policy, clock, logger } = context;
  return new PeriodicTasks({
    name: "hooks",
    clock,
    logger,
    tasks: [
      { name: "sources", intervalMs: intervals.sourcesMs, run: () => refreshSources(context) },
      { name: "deliveries to uninstalled apps", intervalMs: intervals.dropMs, run: () => deliveries.dropUnsubscribed() },
      { name: "ordering groups", intervalMs: intervals.groupsMs, run: () => deliveries.wakeGroups() },
      {
        name: "retention",
        intervalMs: intervals.cleanMs,
        run: () => deliveries.clean(policy.finishedRetentionMs, policy.deadRetentionMs),
      },
    ],
  });
}
