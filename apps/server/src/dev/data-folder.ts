import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, StartError } from "@appserver/kernel";
import { createFile, type HeldFileLock, takeFileLock } from "@appserver/kernel/files";

/** Secrets of one data folder, in hex. Created on first use. */
export interface DevSecrets {
  /** Id of this installation in container labels and event sources. */
  readonly instance: string;
  /** Signs development sessions. */
  readonly sessionSecret: string;
  /** Authenticates entries of the permission cache. */
  readonly macKey: string;
}

/** A data folder that only this process uses until it releases the lock. */
export interface DataFolder extends HeldFileLock {
  readonly path: string;
  /** Those that are always in the folder. */
  readonly files: readonly string[];
  readonly secrets: DevSecrets;
}

/** A problem with the data folder that the user has to repair. The message names the problem and the remedy. */
export class DataFolderError extends StartError {
  override readonly name = "DataFolderError";
}

/** Returns the folder whose links `{app}/{tag}` lead to the code of apps, instead of images. */
export function linkedImages(dataDir: string): string {
  return join(dataDir, "images");
}

/**
 * Opens the data folder for this process alone. Creates the folder and its secrets if they are missing. Throws {@link
 * DataFolderError}; for a folder in use, the message names the process that uses it.
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
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
  try {
    const secretsFile = join(folder, "secrets.json");
    const secrets = await readOrCreateSecrets(secretsFile, folder);
    return { ...lock, path: folder, files: [lockFileIn(folder), secretsFile], secrets };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Locks the data folder. Only one process at a time holds the lock, until it releases it or ends. */
export function lockDataFolder(folder: string): HeldFileLock | { readonly heldBy: { readonly pid: number } } {
  return takeFileLock(lockFileIn(folder));
}

function lockFileIn(folder: string): string {
  return join(folder, "lock");
}

async function readOrCreateSecrets(file: string, folder: string): Promise<DevSecrets> {
  const fresh: DevSecrets = {
    instance: randomBytes(6).toString("hex"),
    sessionSecret: randomBytes(32).toString("hex"),
    macKey: randomBytes(32).toString("hex"),
  };
  const text = await usable(folder, async () => {
    if (!existsSync(file)) await createFile(file, `${JSON.stringify(fresh, undefined, 2)}\n`);
    return readFile(file, "utf8");
  });
  return parseSecrets(text, file, folder);
}

async function usable<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new DataFolderError(
      `The data folder ${folder} cannot be used: ${messageOf(error)}. Set APPSERVER_DATA_DIR to a folder that can be written.`,
    );
  }
}

function parseSecrets(text: string, file: string, folder: string): DevSecrets {
  try {
    const value = JSON.parse(text) as Partial<Record<keyof DevSecrets, unknown>>;
    const isHex = (field: keyof DevSecrets, length: number): boolean =>
      typeof value[field] === "string" && new RegExp(`^[0-9a-f]{${length}}$`).test(value[field] as string);
    if (isHex("instance", 12) && isHex("sessionSecret", 64) && isHex("macKey", 64)) return value as unknown as DevSecrets;
  } catch {
    // Reported below.
  }
  throw new DataFolderError(
    `The data folder ${folder} is damaged: ${file} has invalid content. Restore it, or move the folder away to start with an empty one.`,
  );
}
