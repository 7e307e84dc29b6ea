import { holdLease } from "@appserver/kernel";
import type { OrchestrationContext } from "./repair-context.ts";

/** Not the form of the lease of an app. */
const leaseName = "orchestration-storage-usage";
const leaseTtlMs = 30_000;
const maxMs = 600_000;

/**
 * Stores how large the storage of each app is. One orchestrator does it for all, if any has storage, unless another one did so
 * within half an interval, because an engine reads every file for it.
 */
export async function measureStorage(context: OrchestrationContext, stopping: AbortSignal): Promise<void> {
  const { leases, clock, runtime, storageRecords, options } = context;
  await holdLease(leases, leaseName, leaseTtlMs, clock, async ({ signal }) => {
    const { count, measuredAt } = await storageRecords.summary();
    const isRecent = measuredAt && clock.now() - measuredAt.getTime() < options.storageUsageIntervalMs / 2;
    if (count === 0 || isRecent) return;
    const ends = AbortSignal.any([signal, stopping, AbortSignal.timeout(maxMs)]);
    const found = await runtime.storage({ instance: options.instance }, { signal: ends });
    const usage = found.flatMap(({ usedBytes, ...storage }) => (usedBytes === undefined ? [] : [{ ...storage, usedBytes }]));
    ends.throwIfAborted();
    if (usage.length > 0) await storageRecords.saveUsage(usage, new Date(clock.now()));
  });
}
