import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

export const manifestFile = "app.yaml";

/** A program with its arguments. */
export type Command = readonly [string, ...string[]];

/**
 * What `app.yaml` has besides the manifest (docs/interface/manifest.md#folder-commands). It is about the folder, and is not sent to a
 * platform.
 */
export interface FolderCommands {
  /** Starts the backend, where the folder itself runs. */
  readonly command?: Command;
  /** Makes what the folder needs to run. */
  readonly build?: Command;
  /** The folders that only the page needs: its sources, and what a build makes of them. The backend does not get them. */
  readonly page?: readonly string[];
}

const names = ["command", "build"] as const;

/** Removes the fields from what was read of `app.yaml`. Calls `onMisfit` with the field and the rule for each of another form. */
export function takeFolderCommands(
  given: unknown,
  onMisfit: (field: string, message: string) => void = () => {},
): FolderCommands {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return {};
  const fields = given as Record<string, unknown>;
  const found: { command?: Command; build?: Command; page?: readonly string[] } = {};
  for (const name of names) {
    const value = fields[name];
    delete fields[name];
    if (value === undefined || value === null) continue;
    if (isCommand(value)) found[name] = value;
    else onMisfit(name, "must be a list of texts: a program and its arguments");
  }
  const page = fields["page"];
  delete fields["page"];
  if (isFolders(page)) found.page = page;
  else if (page !== undefined && page !== null) onMisfit("page", "must be a list of folders below this one: [web, dist]");
  return found;
}

/** Returns the commands of the `app.yaml` in a folder. None if the file is missing or broken, which `loadManifest` reports. */
export function folderCommands(folder: string): FolderCommands {
  const file = join(folder, manifestFile);
  if (!existsSync(file)) return {};
  try {
    return takeFolderCommands(parse(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}

function isFolders(value: unknown): value is readonly string[] {
  const isFolder = (path: unknown): boolean =>
    typeof path === "string" && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  return Array.isArray(value) && value.every(isFolder);
}

function isCommand(value: unknown): value is Command {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string" && each !== "");
}
