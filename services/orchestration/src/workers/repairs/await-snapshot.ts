import { uuidv7 } from "@appserver/kernel";
import { failPermanently } from "../failure.ts";
import type { ObservedState } from "../observed-state.ts";
import type { Repair, RepairContext } from "../repair-context.ts";
import { isSnapshotRunning } from "../snapshot-work.ts";

const lookEveryMs = 500;

/**
 * Keeps the next deployment from starting until the data of the app is copied: before an upgrade, if the app has the setting
 * `backup.before_upgrade`, and while another snapshot is taken. Without the copy the upgrade has failed.
 */
export const awaitSnapshot: Repair = {
  name: "await-snapshot",
  applies: (observed) => {
    const { deployment } = observed;
    if (deployment?.state === "PENDING") return isWanted(observed) && snapshotBefore(observed)?.state !== "COMPLETED";
    return deployment?.state === "CREATING" && isSnapshotRunning(observed);
  },
  apply: async (observed, context) => {
    const { deployment } = observed;
    const before = snapshotBefore(observed);
    if (deployment?.state === "PENDING" && !before) await request(observed, context);
    else if (deployment?.state === "PENDING" && before?.state === "FAILED") {
      const message = `the snapshot before the upgrade failed: ${before.error}`;
      await failPermanently(context, deployment, { code: "UPSTREAM_ERROR", message });
    } else await waitWhile(isWaiting, observed, context);
  },
};

/** Returns whether nothing is to be done until the other loop has ended a snapshot or a restore. */
function isWaiting(observed: ObservedState): boolean {
  if (observed.deployment?.state === "CREATING") return isSnapshotRunning(observed);
  const state = snapshotBefore(observed)?.state;
  return state === "PENDING" || state === "RUNNING";
}

/** Ends with the signal when the switch is cancelled. */
async function waitWhile(
  isSo: (observed: ObservedState) => boolean,
  observed: ObservedState,
  { clock, snapshots, signal }: RepairContext,
): Promise<void> {
  let seen = observed;
  while (isSo(seen)) {
    await clock.sleep(lookEveryMs, signal);
    seen = { ...seen, snapshotWork: await snapshots.work(seen.appName, seen.installed?.next?.operationId) };
  }
}

function isWanted({ installed }: ObservedState): boolean {
  return installed?.next?.snapshotFirst === true;
}

function snapshotBefore({ installed, snapshotWork }: ObservedState) {
  const operationId = installed?.next?.operationId;
  return snapshotWork.snapshots.find((each) => each.reason === "upgrade" && each.operationId === operationId);
}

async function request({ installed }: ObservedState, { snapshots, writer, clock, peer }: RepairContext): Promise<void> {
  if (!installed?.next) return;
  const { id: appId, name: appName, version: appVersion, manifestDigest, next } = installed;
  const createdAt = new Date(clock.now());
  const id = uuidv7(createdAt.getTime());
  const label = `before ${next.version}`;
  await snapshots.add(writer, {
    ...{ id, appId, appName, appVersion, manifestDigest, reason: "upgrade", label, operationId: next.operationId },
    ...{ state: "PENDING", storage: [], createdAt },
  });
  peer.wake();
}
