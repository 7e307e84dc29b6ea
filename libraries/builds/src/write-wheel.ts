import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { parse } from "smol-toml";
import { pythonIndex } from "./python-index.ts";
import { type PythonProject, packWheel } from "./wheel.ts";

/** Writes the wheel of the folder with a `pyproject.toml`, and its index, into `output`. The modules are in `src`. */
export async function writeWheel(folder: string, output: string, license: string): Promise<void> {
  const project = readProject(await readFile(join(folder, "pyproject.toml"), "utf8"));
  const readme = await readFile(join(folder, "README.md"), "utf8");
  const wheel = packWheel(project, readme, await modulesIn(join(folder, "src")), { LICENSE: await readFile(license) });
  for (const [path, text] of Object.entries(pythonIndex(project, wheel))) {
    await mkdir(dirname(join(output, path)), { recursive: true });
    await writeFile(join(output, path), text);
  }
  await writeFile(join(output, wheel.file), wheel.bytes);
}

type ProjectTable = Omit<PythonProject, "requiresPython"> & { readonly "requires-python": string };

function readProject(text: string): PythonProject {
  const { project } = parse(text) as unknown as { readonly project: ProjectTable };
  const { name, version, description, license, dependencies, "requires-python": requiresPython } = project;
  return { name, version, description, license, dependencies, requiresPython };
}

/** Returns the files below a folder by path, without compiled ones. */
async function modulesIn(folder: string): Promise<Readonly<Record<string, Uint8Array>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.parentPath.split(sep).includes("__pycache__"))
    .map((entry) => join(entry.parentPath, entry.name));
  const read = files.map(async (file) => [relative(folder, file).replaceAll(sep, "/"), await readFile(file)] as const);
  return Object.fromEntries(await Promise.all(read));
}
