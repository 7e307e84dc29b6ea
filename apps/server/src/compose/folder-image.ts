import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { ProcessImage } from "@appserver/containers-process";
import { pythonPath } from "../../../../examples/python-packages.ts";

/**
 * Returns how the process driver runs the backend in a folder (docs/interface/containers.md#drivers). It gets `dataFolder`, which
 * outlives its process.
 */
export function folderImage(folder: string, dataFolder: string): ProcessImage {
  const module = pythonModule(folder);
  const command = module === undefined ? ["node", mainFile(folder)] : pythonCommand(folder, module);
  const environment = { DATA_DIR: dataFolder, ...(module === undefined ? {} : pythonEnvironment(folder)) };
  return { command, cwd: folder, snapshot: true, environment };
}

/**
 * Returns the package with the backend of a folder in Python: the first one, by name, with a `__main__.py`. Undefined if the folder
 * has none, or has a `package.json`: then its backend runs on Node.
 */
export function pythonModule(folder: string): string | undefined {
  if (!existsSync(folder) || existsSync(join(folder, "package.json"))) return undefined;
  return readdirSync(folder)
    .sort()
    .find((name) => !name.startsWith(".") && existsSync(join(folder, name, "__main__.py")));
}

function pythonCommand(folder: string, module: string): readonly string[] {
  const own = ownPython(folder);
  // Python would write its compiled modules into the snapshot.
  return [existsSync(own) ? own : "python3", "-B", "-m", module];
}

/** What an app prints is read while it runs. Without a virtual environment of its own, it imports what the sample app has. */
function pythonEnvironment(folder: string): Readonly<Record<string, string>> {
  return { PYTHONUNBUFFERED: "1", ...(existsSync(ownPython(folder)) ? {} : { PYTHONPATH: pythonPath() }) };
}

/** The folder may be a link, which may lead to another folder later. */
function ownPython(folder: string): string {
  return join(realpathSync(folder), ".venv/bin/python3");
}

/** Returns `main` of the folder's `package.json`. */
function mainFile(folder: string): string {
  try {
    const { main } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly main?: unknown };
    if (typeof main === "string") return main;
  } catch {
    // An app may have none.
  }
  return "src/server.ts";
}
