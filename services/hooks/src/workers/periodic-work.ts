import { PeriodicTasks } from "@appserver/kernel";
import type { HooksContext } from "../use-cases/context.ts";
import { refreshSources } from "../use-cases/hook-sources.ts";
import type { Dispatcher } from "./dispatcher.ts";

const intervals = { sourcesMs: 60_000, dropMs: 60_000, groupsMs: 30_000, cleanMs: 300_000, probeMs: 60_000 } as const;

/** Returns what every replica repeats: it repairs what lost events left behind, and deletes old deliveries. */
export function periodicWork(context: HooksContext, dispatcher: Pick<Dispatcher, "probe">): PeriodicTasks {
  const { deliveries, policy, clock, logger } = context;
  return new PeriodicTasks({
    name: "hooks",
    clock,
    logger,
    tasks: [
      { name: "sources", intervalMs: intervals.sourcesMs, run: () => refreshSources(context) },
      { name: "deliveries to uninstalled apps", intervalMs: intervals.dropMs, run: () => deliveries.dropUnsubscribed() },
      { name: "ordering groups", intervalMs: intervals.groupsMs, run: () => deliveries.wakeGroups() },
      { name: "subscribers that may work again", intervalMs: intervals.probeMs, run: () => dispatcher.probe() },
      {
        name: "retention",
        intervalMs: intervals.cleanMs,
        run: () => deliveries.clean(policy.finishedRetentionMs, policy.deadRetentionMs),
      },
    ],
  });
}
