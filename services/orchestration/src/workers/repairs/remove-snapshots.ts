import { removeCopies } from "../app-data.ts";
import type { Repair } from "../repair-context.ts";

/** Deletes the copies of snapshots that are no longer wanted, then their records. */
export const removeSnapshots: Repair = {
  name: "remove-snapshots",
  applies: ({ snapshotWork }) => snapshotWork.removals.length > 0,
  apply: async ({ snapshotWork }, context) => {
    for (const snapshot of snapshotWork.removals) {
      context.signal.throwIfAborted();
      await removeCopies(context, snapshot);
      await context.snapshots.remove(context.writer, snapshot.id);
      context.logger.info({ app: snapshot.appName, snapshot: snapshot.id }, "orchestration: snapshot deleted");
    }
  },
};
