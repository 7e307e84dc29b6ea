import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, StartError } from "@appserver/kernel";
import { type HeldFileLock, takeFileLock } from "@appserver/kernel/files";

/** A data folder that only this process uses until it releases the lock. */
export interface DataFolder extends HeldFileLock {
  readonly path: string;
  /** Those that are always in the folder. */
  readonly files: readonly string[];
}

/** A problem with the data folder that the user has to repair. The message names the problem and the remedy. */
export class DataFolderError extends StartError {
  override readonly name = "DataFolderError";
}

/**
 * Takes the data folder for this process alone, and creates it if it is missing. Throws {@link DataFolderError}; for a folder in use, the
 * message names the process that uses it.
 */
export async function holdDataFolder(folder: string): Promise<DataFolder> {
  const lock = await usable(folder, async () => {
    await mkdir(folder, { recursive: true });
    // If root starts the platform, the database runs under another account, which needs access to the folder.
    await chmod(folder, process.getuid?.() === 0 ? 0o711 : 0o700);
    return lockDataFolder(folder);
  });
  if ("heldBy" in lock) {
    throw new DataFolderError(
      `The data folder ${folder} is in use by process ${lock.heldBy.pid}: end that process, or set APPSERVER_DATA_DIR to another folder.`,
    );
  }
  return { ...lock, path: folder, files: [lockFileIn(folder)] };
}

/** Locks the data folder. Only one process at a time holds the lock, until it releases it or ends. */
export function lockDataFolder(folder: string): HeldFileLock | { readonly heldBy: { readonly pid: number } } {
  return takeFileLock(lockFileIn(folder));
}

function lockFileIn(folder: string): string {
  return join(folder, "lock");
}

/** Does work in the data folder. Throws {@link DataFolderError} if it fails. */
export async function usable<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new DataFolderError(
      `The data folder ${folder} cannot be used: ${messageOf(error)}. Set APPSERVER_DATA_DIR to a folder that can be written.`,
    );
  }
}
