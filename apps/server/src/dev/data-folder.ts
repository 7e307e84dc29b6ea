import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, StartError } from "@appserver/kernel";
import { createFile, type HeldFileLock, takeFileLock } from "@appserver/kernel/files";

/** Secrets of one data folder, made at its first use, hex. */
export interface DevSecrets {
  /** Names this installation in container labels and event sources. */
  readonly instance: string;
  /** Signs development sessions. */
  readonly sessionSecret: string;
  /** Authenticates entries of the permission cache. */
  readonly macKey: string;
}

/** A data folder, used by this process alone until it is released. */
export interface DataFolder extends HeldFileLock {
  readonly secrets: DevSecrets;
}

/** Something about the data folder that the user has to repair; the message says what and how. */
export class DataFolderError extends StartError {
  override readonly name = "DataFolderError";
}

/**
 * Opens the data folder for this process alone, making it and its secrets when they are not there. Throws
 * {@link DataFolderError}, for a folder in use with the process that uses it.
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const lock = await usable(folder, async () => {
    await mkdir(folder, { recursive: true });
    // Started by root the database runs under another account, which must pass through.
    await chmod(folder, process.getuid?.() === 0 ? 0o711 : 0o700);
    return lockDataFolder(folder);
  });
  if ("heldBy" in lock) {
    throw new DataFolderError(
      `The data folder ${folder} is in use by process ${lock.heldBy.pid}: end that process, or set APPSERVER_DATA_DIR to another folder.`,
    );
  }
  try {
    return { ...lock, secrets: await readOrCreateSecrets(join(folder, "secrets.json"), folder) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The right to run the platform on a data folder: of one process at a time, until it releases it or ends. */
export function lockDataFolder(folder: string): HeldFileLock | { readonly heldBy: { readonly pid: number } } {
  return takeFileLock(join(folder, "lock"));
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
    // Said below.
  }
  throw new DataFolderError(
    `The data folder ${folder} is damaged: ${file} is not what was written there. Restore it, or move the folder away to start anew.`,
  );
}
