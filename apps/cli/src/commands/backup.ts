import { ask, command } from "../client.ts";
import {
  CloneAppDocument,
  CreateAppSnapshotDocument,
  DeleteAppSnapshotDocument,
  RestoreAppSnapshotDocument,
  type SnapshotFragment,
  SnapshotsOfAppDocument,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson, printResult } from "../output.ts";
import { renderTable } from "../table.ts";
import { UsageError } from "../usage-error.ts";
import { type FollowFlags, followOperation } from "./follow-operation.ts";
import { sizeText } from "./storage.ts";

export async function createBackup(
  options: GlobalOptions,
  name: string,
  { label, detach }: FollowFlags & { readonly label?: string },
): Promise<void> {
  const { operation } = await command(options, CreateAppSnapshotDocument, { name, label });
  await followOperation(options, operation, { done: `${name} has the snapshot ${operation.id}`, detach });
}

export async function listBackups(options: GlobalOptions, name: string): Promise<void> {
  const { appSnapshots: snapshots } = await ask(options, SnapshotsOfAppDocument, { name });
  if (options.json) printJson({ snapshots });
  else if (snapshots.length === 0) print(`${name} has no snapshots`);
  else print(renderTable(["ID", "TAKEN", "VERSION", "REASON", "STATE", "SIZE", "PAUSED", "LABEL"], snapshots.map(rowOf)));
}

/** Without an id: the newest snapshot that is complete and was not made by a restore. With `as`: into a clone of that name. */
export async function restoreBackup(
  options: GlobalOptions,
  name: string,
  snapshot: string | undefined,
  { as, detach }: FollowFlags & { readonly as?: string },
): Promise<void> {
  const id = snapshot ?? (await newestOf(options, name));
  if (as !== undefined) {
    const clone = await command(options, CloneAppDocument, { name, snapshot: id, as });
    const done = `${as} has the data of the snapshot ${id}; appctl install ${as} starts it`;
    return await followOperation(options, clone.operation, { done, detach });
  }
  const { operation } = await command(options, RestoreAppSnapshotDocument, { name, snapshot: id });
  await followOperation(options, operation, { done: `${name} has the data of the snapshot ${id}`, detach });
}

export async function deleteBackup(options: GlobalOptions, name: string, snapshot: string): Promise<void> {
  const result = await command(options, DeleteAppSnapshotDocument, { name, snapshot });
  printResult(options, result, `the snapshot ${snapshot} of ${name} is being deleted`);
}

async function newestOf(options: GlobalOptions, name: string): Promise<string> {
  const { appSnapshots } = await ask(options, SnapshotsOfAppDocument, { name });
  const newest = appSnapshots.find(({ state, reason }) => state === "COMPLETED" && reason !== "RESTORE");
  if (newest) return newest.id;
  throw new UsageError(`${name} has no complete snapshot; appctl backup list ${name} shows all`);
}

function rowOf(snapshot: SnapshotFragment): readonly string[] {
  const { id, createdAt, appVersion, reason, state, pausedMs, label, error } = snapshot;
  const size = state === "COMPLETED" ? sizeText(sizeOf(snapshot)) : "-";
  const paused = pausedMs == null ? "-" : `${(pausedMs / 1_000).toFixed(1)} s`;
  const taken = createdAt.replace(/\.\d+Z$/, "Z");
  return [id, taken, appVersion, reason.toLowerCase(), state.toLowerCase(), size, paused, error ?? label ?? "-"];
}

function sizeOf({ databaseBytes, storage }: SnapshotFragment): number {
  return storage.reduce((sum, { usedBytes }) => sum + usedBytes, databaseBytes ?? 0);
}
