import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFile } from "@appserver/kernel/files";
import { type DataFolder, DataFolderError, holdDataFolder, usable } from "../data-folder/data-folder.ts";

/** Secrets of one data folder, in hex. Created on first use. */
export interface DevSecrets {
  /** Id of this installation in container labels and event sources. */
  readonly instance: string;
  /** Signs development sessions. */
  readonly sessionSecret: string;
  /** Authenticates entries of the permission cache. */
  readonly macKey: string;
}

export interface DevDataFolder extends DataFolder {
  readonly secrets: DevSecrets;
}

/** Returns the folder whose links `{app}/{tag}` lead to the code of apps, instead of images. */
export function linkedImages(dataDir: string): string {
  return join(dataDir, "images");
}

/** The tag that `appctl` links. */
export const linkedTag = "latest";

/** Takes the data folder of `appserver dev`, and creates its secrets if they are missing. Throws {@link DataFolderError}. */
export async function openDevDataFolder(folder: string): Promise<DevDataFolder> {
  const held = await holdDataFolder(folder);
  try {
    const secretsFile = join(folder, "secrets.json");
    const secrets = await readOrCreateSecrets(secretsFile, folder);
    return { ...held, files: [...held.files, secretsFile], secrets };
  } catch (error) {
    held.release();
    throw error;
  }
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
