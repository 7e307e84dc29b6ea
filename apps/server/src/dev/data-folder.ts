import { randomBytes } from "node:crypto";
import { chmod, mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "@appserver/kernel";

/** Secrets of one data folder, made at its first use, hex. */
export interface DevSecrets {
  /** Names this installation in container labels and event sources. */
  readonly instance: string;
  /** Signs development sessions. */
  readonly sessionSecret: string;
  /** Authenticates entries of the permission cache. */
  readonly macKey: string;
}

/** Something about the data folder that the user has to mend; the message says what and how. */
export class DataFolderError extends Error {
  override readonly name = "DataFolderError";
}

/** Opens the data folder, making it and its secrets when they are not there. Throws {@link DataFolderError}. */
export async function openDataFolder(folder: string): Promise<DevSecrets> {
  try {
    await mkdir(folder, { recursive: true });
    // The database may run under another account and needs to pass through; what is private is so by its own mode.
    await chmod(folder, 0o755);
  } catch (error) {
    throw new DataFolderError(
      `The data folder ${folder} cannot be used: ${messageOf(error)}. Set APPSERVER_DATA_DIR to a folder that can be written.`,
    );
  }
  return readOrCreateSecrets(join(folder, "secrets.json"), folder);
}

async function readOrCreateSecrets(file: string, folder: string): Promise<DevSecrets> {
  const fresh: DevSecrets = {
    instance: randomBytes(6).toString("hex"),
    sessionSecret: randomBytes(32).toString("hex"),
    macKey: randomBytes(32).toString("hex"),
  };
  try {
    const handle = await open(file, "wx", 0o600);
    await handle.writeFile(`${JSON.stringify(fresh, undefined, 2)}\n`);
    await handle.sync();
    await handle.close();
    return fresh;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw new DataFolderError(`The data folder ${folder} cannot be used: ${messageOf(error)}.`);
    }
  }
  return parseSecrets(await readFile(file, "utf8"), file, folder);
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
