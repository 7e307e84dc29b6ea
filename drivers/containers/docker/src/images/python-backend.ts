import type { EngineClient } from "../index.ts";
import type { AppBackend } from "./app-backend.ts";
import { filesBelow } from "./files-below.ts";
import { ensurePythonBase, extensionModules, pythonInImage, readPython } from "./python-base.ts";
import { sharedLibraries } from "./shared-libraries.ts";

/** A backend that `python3 -m` runs. */
export interface PythonEntry {
  /** A package with a `__main__.py` in the app's folder: `board`. */
  readonly module: string;
  /** Path of the interpreter of this machine that the image gets. */
  readonly python: string;
  /** Folders outside of the app's own one with the packages that the backend imports. The image gets them whole. */
  readonly packages: readonly string[];
}

const packagesInImage = "usr/local/lib/packages";

export async function pythonBackend(engine: EngineClient, appFolder: string, entry: PythonEntry): Promise<AppBackend> {
  const base = await ensurePythonBase(engine, await readPython(entry.python));
  const folders = entry.packages.map((source, index) => ({ source, into: `${packagesInImage}/${index}` }));
  const packages = folders.flatMap(({ source, into }) => [...filesBelow(source, "", { into, isLeftOut: isUnusedPackage })]);
  const inBase = new Set(base.files.map(({ path }) => path));
  const libraries = sharedLibraries(extensionModules(packages), entry.packages).filter(({ path }) => !inBase.has(path));
  return {
    base: base.image,
    packages: [...libraries, ...packages],
    files: [...filesBelow(appFolder, entry.module, { into: "app", isLeftOut: (name) => name === "__pycache__" })],
    environment: { PYTHONPATH: folders.map(({ into }) => `/${into}`).join(":") },
    // The root is read-only, so compiled modules could not be stored.
    command: [pythonInImage, "-B", "-m", entry.module],
  };
}

/** Programs, and what installs packages. A virtual environment has it next to them. */
const unusedPackages = /^(__pycache__|bin|pip|setuptools|wheel|pkg_resources|_distutils_hack)$/;

function isUnusedPackage(name: string): boolean {
  return unusedPackages.test(name);
}
