import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "@appserver/kernel/files";
import { DataFolderError } from "../data-folder/data-folder.ts";
import type { BackedUpStorage } from "./manifest.ts";

/** What a restore that was interrupted may have written elsewhere. */
export interface UnfinishedRestore {
  readonly instance: string;
  readonly storage: readonly BackedUpStorage[];
}

const marker = "restoring.json";
/** Of the lock that a process holds while it looks. */
const lockFile = "lock";

/** Marks a folder until {@link finishRestore}: what is in it is not complete. */
export async function beginRestore(dataDir: string, restore: UnfinishedRestore): Promise<void> {
  await replaceFile(join(dataDir, marker), JSON.stringify(restore));
}

export async function finishRestore(dataDir: string): Promise<void> {
  await rm(join(dataDir, marker));
}

/** Returns the restore that was interrupted in the folder. */
export async function unfinishedRestore(dataDir: string): Promise<UnfinishedRestore | undefined> {
  const text = await readFile(join(dataDir, marker), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as UnfinishedRestore);
}

/** Removes what an interrupted restore has written into the folder. The mark stays. */
export async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (name !== marker && name !== lockFile) await rm(join(dataDir, name), { recursive: true, force: true });
}

/** Returns whether nothing but a lock is in the folder. */
export async function isEmptyFolder(dataDir: string): Promise<boolean> {
  return (await readdir(dataDir)).every((name) => name === lockFile);
}

/** Rejects with DataFolderError if a restore into the folder was interrupted. */
export async function refuseUnfinishedRestore(dataDir: string): Promise<void> {
  if ((await unfinishedRestore(dataDir)) === undefined) return;
  throw new DataFolderError(
    `The data folder ${dataDir} has a restore that was interrupted: run appserver restore again with the same folder.`,
  );
}
