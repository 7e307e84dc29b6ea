import { snapshotStorageOwner } from "@appserver/contracts/deployments";
import type { SnapshotResult, StoredSnapshot } from "../ports.ts";
import type { OrchestrationContext } from "./repair-context.ts";

type DataContext = Pick<OrchestrationContext, "databases" | "runtime" | "options">;

/** Copies database and storage of an app, in place of earlier copies of the snapshot. No container of the app may run. */
export async function copyAppData(
  { databases, runtime, options: { instance } }: DataContext,
  { id, appId, appName }: StoredSnapshot,
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<SnapshotResult> {
  const owner = { instance, appId };
  const database = await databases?.copy({ appId, appName }, id, limitMs);
  const storage: { name: string; usedBytes: number }[] = [];
  for (const name of namesOf(await runtime.storage(owner))) {
    signal.throwIfAborted();
    storage.push({ name, usedBytes: await runtime.copyStorage(owner, snapshotStorageOwner(owner, id), name, signal) });
  }
  return { databaseBytes: database?.usedBytes, storage };
}

/**
 * Replaces database and storage of an app by those of the snapshot. What the app did not have then is deleted, but a database that it
 * did not have then stays. No container of the app may exist.
 */
export async function replaceAppData(
  { databases, runtime, options: { instance } }: DataContext,
  app: { readonly appId: string; readonly appName: string },
  snapshot: StoredSnapshot,
  signal: AbortSignal,
): Promise<void> {
  const owner = { instance, appId: app.appId };
  if (snapshot.databaseBytes !== undefined) {
    if (!databases) throw new Error("the snapshot has a database, and the apps of this orchestrator have none");
    await databases.restoreCopy(app, snapshot.id, snapshot);
  }
  for (const { name } of snapshot.storage) {
    signal.throwIfAborted();
    await runtime.copyStorage(snapshotStorageOwner(owner, snapshot.id), owner, name, signal);
  }
  const kept = new Set(snapshot.storage.map(({ name }) => name));
  for (const name of namesOf(await runtime.storage(owner))) if (!kept.has(name)) await runtime.removeStorage(owner, name);
}

/** Deletes the copies of a snapshot. Succeeds if there are none. */
export async function removeCopies(
  { databases, runtime, options: { instance } }: DataContext,
  { id, appId }: Pick<StoredSnapshot, "id" | "appId">,
): Promise<void> {
  await databases?.removeCopy(id);
  await runtime.removeStorage(snapshotStorageOwner({ instance, appId }, id));
}

function namesOf(storage: readonly { readonly name: string }[]): readonly string[] {
  return storage.map(({ name }) => name).sort();
}
