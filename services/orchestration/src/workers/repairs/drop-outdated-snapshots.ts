import type { Repair } from "../repair-context.ts";
import { isOutdated } from "../snapshot-work.ts";

const problem = "the switch to another version has ended";

/** Gives up what a switch has requested and not begun, after the switch has ended. */
export const dropOutdatedSnapshots: Repair = {
  name: "drop-outdated-snapshots",
  applies: (observed) => {
    const { snapshots, restores } = observed.snapshotWork;
    return [...snapshots, ...restores].some((work) => isOutdated(work, observed));
  },
  apply: async (observed, { snapshots: records, writer, clock }) => {
    const { snapshots, restores } = observed.snapshotWork;
    const now = new Date(clock.now());
    for (const work of restores) if (isOutdated(work, observed)) await records.finishRestore(writer, work.id, problem, now);
    for (const work of snapshots) if (isOutdated(work, observed)) await records.fail(writer, work.id, problem, now);
  },
};
