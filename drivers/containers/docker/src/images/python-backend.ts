import type { PythonEntry } from "@appserver/driver";
import type { EngineClient } from "../index.ts";
import type { AppBackend } from "./app-backend.ts";
import { filesBelow } from "./files-below.ts";
import { ensurePythonBase, extensionModules, pythonInImage, readPython } from "./python-base.ts";
import { sharedLibraries } from "./shared-libraries.ts";

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
