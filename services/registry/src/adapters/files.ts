import { randomUUID } from "node:crypto";
import { link, mkdir, open, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "@appserver/kernel";
import { syncFolder } from "@appserver/kernel/files";

/** Returns what the operation returns, and undefined if the file or folder does not exist. Rejects with SERVICE_UNAVAILABLE if the disk is full. */
export async function unlessMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw diskError(error);
  }
}

/** Returns the error that callers see: a full disk may be free later. */
export function diskError(error: unknown): unknown {
  const code = codeOf(error);
  if (code !== "ENOSPC" && code !== "EDQUOT") return error;
  const details = { reason: "registry_disk_full" };
  return new AppError("SERVICE_UNAVAILABLE", "the disk of the registry is full; retry later", { details, cause: error });
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

export async function sizeOf(file: string): Promise<number | undefined> {
  return (await unlessMissing(stat(file)))?.size;
}

/** Returns what a file counts. A small one counts more than its bytes, so that limits of sizes also limit the number of files. */
export function countedSize(bytes: number): number {
  return Math.max(bytes, leastCountedBytes);
}

const leastCountedBytes = 65_536;

/** Returns the names in a folder. Empty if it does not exist. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return (await unlessMissing(readdir(folder))) ?? [];
}

/** Sets the time of the last use. Returns false if the file does not exist. */
export async function setUsed(file: string, nowMs: number): Promise<boolean> {
  const seconds = nowMs / 1_000;
  return (await unlessMissing(utimes(file, seconds, seconds).then(() => true))) ?? false;
}

/** Moves a complete file to its place, in place of an earlier one. Both survive a loss of power. */
export async function place(draft: string, file: string): Promise<void> {
  const folder = dirname(file);
  const move = async (): Promise<void> => {
    await mkdir(folder, { recursive: true });
    await rename(draft, file);
  };
  // Between both steps, the removal of an empty repository can have taken the folder.
  await move().catch((error: unknown) => (codeOf(error) === "ENOENT" ? move() : Promise.reject(error)));
  await syncFolder(folder);
}

/** Writes a file completely or not at all. */
export async function writeWhole(drafts: string, file: string, content: Uint8Array | string, nowMs: number): Promise<void> {
  const draft = join(drafts, randomUUID());
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await setUsed(draft, nowMs);
    await place(draft, file);
  } catch (error) {
    throw diskError(error);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Gives a file a second name. Returns false if it does not exist. An existing file of that name stays. */
export async function linkTo(file: string, other: string): Promise<boolean> {
  await mkdir(dirname(other), { recursive: true });
  try {
    await link(file, other);
    await syncFolder(dirname(other));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    if (codeOf(error) !== "EEXIST") throw diskError(error);
  }
  return true;
}
