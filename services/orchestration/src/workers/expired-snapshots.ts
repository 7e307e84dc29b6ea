import type { Clock, PeriodicTask } from "@appserver/kernel";
import type { SnapshotRecords } from "../ports.ts";

const intervalMs = 600_000;

/** Returns the task that has expired snapshots deleted. */
export function expiredSnapshots(
  snapshots: Pick<SnapshotRecords, "expire">,
  clock: Clock,
  wake: (appName: string) => void,
): PeriodicTask {
  return {
    name: "expired snapshots",
    intervalMs,
    run: async () => {
      for (const appName of new Set(await snapshots.expire(new Date(clock.now())))) wake(appName);
    },
  };
}
