import type { SnapshotRestore } from "@appserver/contracts/deployments";
import type { DeploymentsByRole, StoredSnapshot } from "../ports.ts";
import type { ObservedState } from "./observed-state.ts";
import type { RepairContext } from "./repair-context.ts";

type Work = StoredSnapshot | SnapshotRestore;

/** Returns the snapshot that the loop of this role takes next. */
export function dueSnapshot(observed: ObservedState): StoredSnapshot | undefined {
  return firstDue(observed, observed.snapshotWork.snapshots);
}

/** Returns the restore that the loop of this role carries out next. */
export function dueRestore(observed: ObservedState): SnapshotRestore | undefined {
  return firstDue(observed, observed.snapshotWork.restores);
}

/** Returns whether the loop of the current deployment has begun a snapshot or a restore. Until its end it does nothing else. */
export function isSnapshotRunning({ installed, snapshotWork: { snapshots, restores } }: ObservedState): boolean {
  return [...snapshots, ...restores].some((work) => work.state === "RUNNING" && !isOfSwitch(work, installed));
}

/** Returns whether what was requested for a switch must not begin any more, because the switch has ended. */
export function isOutdated(work: Work, { installed }: ObservedState): boolean {
  return work.state === "PENDING" && work.operationId !== undefined && work.operationId !== installed?.next?.operationId;
}

/**
 * Returns whether no other deployment of the app can write its data: none is replaced, and the container of the next one is not about
 * to be created.
 */
export function isAlone({ next, retiring }: DeploymentsByRole): boolean {
  return !retiring && (!next || next.state === "PENDING" || next.state === "PULLING");
}

/** Returns whether a snapshot or a restore may begin. */
export function mayBegin({ role, deployment, deployments }: ObservedState): boolean {
  return role === "next" ? deployment?.state === "CREATING" : isAlone(deployments);
}

/**
 * Stores that a snapshot or a restore has begun. The loop of the switch reads this before it creates a container, and this one reads
 * the deployments again after the write, so that at least one of them sees the other. Then this one waits.
 */
export async function beginAlone(
  { role }: ObservedState,
  context: RepairContext,
  setRunning: (isRunning: boolean) => Promise<void>,
): Promise<void> {
  await setRunning(true);
  if (role === "next" || isAlone(await context.deployments.ofApp(context.writer.appName))) return;
  await setRunning(false);
}

function firstDue<W extends Work>({ role, installed }: ObservedState, work: readonly W[]): W | undefined {
  const due = work.filter(
    (each) => (each.state === "PENDING" || each.state === "RUNNING") && isOfSwitch(each, installed) === (role === "next"),
  );
  return due.find(({ state }) => state === "RUNNING") ?? due[0];
}

/** A switch restores data itself. Snapshots before a switch are taken while the current deployment still serves. */
function isOfSwitch(work: Work, installed: ObservedState["installed"]): boolean {
  const isRestore = !("reason" in work) || work.reason === "restore";
  return isRestore && work.operationId !== undefined && work.operationId === installed?.next?.operationId;
}
