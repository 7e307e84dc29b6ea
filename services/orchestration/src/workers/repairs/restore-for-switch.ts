import { uuidv7 } from "@appserver/kernel";
import { failPermanently } from "../failure.ts";
import type { ObservedState } from "../observed-state.ts";
import type { Repair } from "../repair-context.ts";

/**
 * Requests the restore of the data with which an app returns to an earlier version, while its current deployment is stopped. Without
 * that data the version does not start.
 */
export const restoreForSwitch: Repair = {
  name: "restore-for-switch",
  applies: (observed) => {
    if (observed.deployment?.state !== "CREATING" || !observed.installed?.next?.restoredSnapshot) return false;
    const state = restoreOf(observed)?.state;
    return state === undefined || state === "FAILED";
  },
  apply: async (observed, context) => {
    const { installed, deployment } = observed;
    if (!deployment || !installed?.next?.restoredSnapshot) return;
    const restore = restoreOf(observed);
    if (restore) {
      const message = `the data of the version was not restored: ${restore.error}`;
      await failPermanently(context, deployment, { code: "UPSTREAM_ERROR", message });
      return;
    }
    const { id: appId, name: appName, version: appVersion, manifestDigest, next } = installed;
    const { operationId } = next;
    const createdAt = new Date(context.clock.now());
    const common = { appId, appName, operationId, state: "PENDING", createdAt } as const;
    const undoId = uuidv7(createdAt.getTime());
    await context.snapshots.add(
      context.writer,
      { ...common, id: undoId, appVersion, manifestDigest, reason: "restore", storage: [] },
      { ...common, id: uuidv7(createdAt.getTime()), snapshotId: installed.next.restoredSnapshot, undoId },
    );
  },
};

function restoreOf({ installed, snapshotWork }: ObservedState) {
  return snapshotWork.restores.find(({ operationId }) => operationId === installed?.next?.operationId);
}
