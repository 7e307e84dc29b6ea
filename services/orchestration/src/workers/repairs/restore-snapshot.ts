import type { SnapshotRestore } from "@appserver/contracts/deployments";
import { messageOf } from "@appserver/kernel";
import type { StoredSnapshot } from "../../ports.ts";
import { replaceAppData } from "../app-data.ts";
import { findContainer, type ObservedState } from "../observed-state.ts";
import { pauseApp } from "../pause-app.ts";
import type { Repair, RepairContext } from "../repair-context.ts";
import { beginAlone, dueRestore, dueSnapshot, mayBegin } from "../snapshot-work.ts";

/**
 * Replaces the data of an app by that of a snapshot (docs/interface/snapshots.md#restore), after `take-snapshot` has kept what is
 * there. If it fails, the app gets that back. Every step may be repeated; until the end, no container of the app starts.
 */
export const restoreSnapshot: Repair = {
  name: "restore-snapshot",
  applies: (observed) => {
    const due = dueRestore(observed);
    if (!due || dueSnapshot(observed)) return false;
    return due.state === "RUNNING" || mayBegin(observed);
  },
  apply: async (observed, context) => {
    const restore = dueRestore(observed);
    if (!restore) return;
    const { snapshots, writer } = context;
    const undo = await snapshots.find(restore.undoId);
    const source = await snapshots.find(restore.snapshotId);
    const problem = problemOf(undo, source);
    if (problem !== undefined || !undo || !source) await finish(restore, problem, context);
    else if (restore.state === "PENDING")
      await beginAlone(observed, context, (isRunning) => snapshots.setRestoring(writer, restore.id, isRunning));
    else if (await pauseApp(observed, context)) {
      await removeContainer(observed, context);
      await replace(restore, { undo, source }, context);
    }
  },
};

function problemOf(undo: StoredSnapshot | undefined, source: StoredSnapshot | undefined): string | undefined {
  if (undo?.state !== "COMPLETED") return `the present data could not be kept: ${undo?.error ?? "there is no snapshot of it"}`;
  return source?.state === "COMPLETED" ? undefined : "there is no such snapshot any more";
}

/** An engine does not replace the storage of a container that exists. Another one is created when the app starts again. */
async function removeContainer(
  { deployments: { current } }: ObservedState,
  { runtime, options }: RepairContext,
): Promise<void> {
  const container = current && (await findContainer(runtime, options.instance, current));
  if (container) await runtime.remove(container.name);
}

async function replace(
  restore: SnapshotRestore,
  { undo, source }: { readonly undo: StoredSnapshot; readonly source: StoredSnapshot },
  context: RepairContext,
): Promise<void> {
  const { signal, logger } = context;
  try {
    await replaceAppData(context, restore, source, signal);
  } catch (error) {
    signal.throwIfAborted();
    logger.warn({ app: restore.appName, snapshot: source.id, err: error }, "orchestration: restoring a snapshot failed");
    // If this fails as well, the loop repeats all of it: the app must not start with a part of the data.
    await replaceAppData(context, restore, undo, signal);
    await finish(restore, `${messageOf(error)}; the app has the data that it had before`, context);
    return;
  }
  await finish(restore, undefined, context);
}

async function finish(
  { id, appName: app, snapshotId: snapshot }: SnapshotRestore,
  problem: string | undefined,
  { snapshots, writer, clock, logger }: RepairContext,
): Promise<void> {
  await snapshots.finishRestore(writer, id, problem, new Date(clock.now()));
  logger.info({ app, snapshot, problem }, "orchestration: restore of a snapshot ended");
}
