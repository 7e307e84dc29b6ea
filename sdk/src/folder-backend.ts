import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, folderCommands } from "./folder-commands.ts";

/** The backend of an app's folder. */
export type FolderBackend =
  /** `main` is a file, relative to the folder. It need not exist. */
  | { readonly language: "node"; readonly main: string }
  /** `module` is a package with a `__main__.py`. */
  | { readonly language: "python"; readonly module: string }
  /** It runs in the folder. */
  | { readonly language: "any"; readonly command: Command };

/**
 * Returns what runs in a folder: the `command` of its `app.yaml`, if that has one. With a `package.json`, that is its `main`, by default
 * `src/server.ts`, on Node. Without one it is the first package, by name, with a `__main__.py`.
 */
export function folderBackend(folder: string): FolderBackend {
  const { command } = folderCommands(folder);
  if (command) return { language: "any", command };
  const module = pythonModule(folder);
  return module === undefined ? { language: "node", main: mainFile(folder) } : { language: "python", module };
}

/** The virtual environment of a folder in Python, if it has one. */
export const ownPython = ".venv/bin/python3";

function pythonModule(folder: string): string | undefined {
  if (!existsSync(folder) || existsSync(join(folder, "package.json"))) return undefined;
  return readdirSync(folder)
    .sort()
    .find((name) => !name.startsWith(".") && existsSync(join(folder, name, "__main__.py")));
}

function mainFile(folder: string): string {
  try {
    const { main } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly main?: unknown };
    if (typeof main === "string") return main;
  } catch {
    // An app may have none.
  }
  return "src/server.ts";
}
