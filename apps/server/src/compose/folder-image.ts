import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { ProcessImage } from "@appserver/driver";
import { type FolderBackend, folderBackend, folderCommands, ownPython } from "@appserver/sdk";
import { packagesFolder, pythonPath } from "../../../../examples/python-packages.ts";

/**
 * Returns how the process driver runs the backend in a folder (docs/interface/containers.md#drivers). It gets `dataFolder`, which
 * outlives its process and is created if it is missing.
 */
export function folderImage(folder: string, dataFolder: string): ProcessImage {
  const backend = folderBackend(folder);
  mkdirSync(dataFolder, { recursive: true });
  const isPython = backend.language === "python";
  const command = commandOf(folder, backend);
  const environment = { DATA_DIR: dataFolder, ...(isPython ? pythonEnvironment(folder) : {}) };
  return { command, cwd: folder, snapshot: true, leftOut: folderCommands(folder).page ?? [], environment };
}

function commandOf(folder: string, backend: FolderBackend): readonly string[] {
  if (backend.language === "any") return backend.command;
  return backend.language === "python" ? pythonCommand(folder, backend.module) : ["node", backend.main];
}

function pythonCommand(folder: string, module: string): readonly string[] {
  const own = pythonOf(folder);
  // Python would write its compiled modules into the snapshot.
  return [existsSync(own) ? own : "python3", "-B", "-m", module];
}

/**
 * What an app prints is read while it runs. Without a virtual environment of its own, it imports what was installed for its requirements,
 * else what the sample app has.
 */
function pythonEnvironment(folder: string): Readonly<Record<string, string>> {
  if (existsSync(pythonOf(folder))) return { PYTHONUNBUFFERED: "1" };
  return { PYTHONUNBUFFERED: "1", PYTHONPATH: pythonPath(installedRequirements(folder)) };
}

/** Returns the list of requirements of an app in Python if its packages are installed. */
export function installedRequirements(folder: string): string | undefined {
  const requirements = join(folder, "requirements.txt");
  return existsSync(requirements) && existsSync(packagesFolder(requirements)) ? requirements : undefined;
}

/** Returns whether an app in Python can import what its list of requirements names. */
export function hasPackages(folder: string): boolean {
  return existsSync(pythonOf(folder)) || installedRequirements(folder) !== undefined;
}

/** The folder may be a link, which may lead to another folder later. */
function pythonOf(folder: string): string {
  return join(realpathSync(folder), ownPython);
}
