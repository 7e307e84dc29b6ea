import type { DataRemoval, StorageRemoval } from "@appserver/contracts/deployments";
import type { Deployment } from "../../domain/deployment.ts";
import { removeCopies } from "../app-data.ts";
import type { Repair, RepairContext } from "../repair-context.ts";

/**
 * Deletes the data of an app that was uninstalled with `purge_data` or deleted, or one storage of it
 * (docs/interface/containers.md#isolation, docs/interface/containers.md#storage).
 */
export const removeData: Repair = {
  name: "remove-data",
  applies: ({ dataRemovals }) => dataRemovals.length > 0,
  apply: async ({ dataRemovals, deployments: { current } }, context) => {
    for (const removal of dataRemovals) {
      const late = isLate(removal, current);
      if (!late) await remove(removal, context);
      await context.dataRemovals.done(removal);
      const { appName: app, appId: id } = removal;
      context.logger.info(
        { app, id, ...("storage" in removal ? { storage: removal.storage } : {}) },
        late ? "orchestration: outdated removal of data dropped" : "orchestration: data of the app removed",
      );
    }
  },
};

/** A request that came late must not delete what the app has stored since. */
function isLate(removal: DataRemoval | StorageRemoval, current: Deployment | undefined): boolean {
  if (current?.appId !== removal.appId) return false;
  return "storage" in removal ? current.id !== removal.deploymentId : current.generation > removal.generation;
}

async function remove(removal: DataRemoval | StorageRemoval, context: RepairContext): Promise<void> {
  const { databases, runtime, storageRecords, options } = context;
  const { instance } = options;
  const { appId } = removal;
  const storage = "storage" in removal ? removal.storage : undefined;
  if (storage === undefined) {
    await requireUnused(appId, context);
    await removeAllSnapshots(appId, context);
  }
  if (storage === undefined) await databases?.remove(removal);
  await runtime.removeStorage({ instance, appId }, storage);
  await storageRecords.remove(appId, storage);
}

/** Throws while another app, its clone, is getting the data of a snapshot. The loop tries again later. */
async function requireUnused(appId: string, { snapshots }: RepairContext): Promise<void> {
  const user = await snapshots.userOf(appId);
  if (user !== undefined) throw new Error(`its data is removed when ${user} has got that of its snapshot`);
}

/** The server does not delete the role of an app while a copy of its database has objects of it. */
async function removeAllSnapshots(appId: string, context: RepairContext): Promise<void> {
  for (const snapshot of await context.snapshots.ofApp(appId)) await removeCopies(context, snapshot);
  await context.snapshots.forget(context.writer, appId);
}
