import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";

/** Contains the hash of the sources of `dist`. Files that start with a dot are not served. */
const inputsFile = ".inputs";

/** The package whose libraries build. */
const builder = join(import.meta.dirname, "..");

/** A folder with sources that are built into its `dist`. */
export interface Build {
  readonly folder: string;
  /** Subfolders with sources, next to the configuration in the folder itself: `["web"]`. */
  readonly sources: readonly string[];
  /** Further files that the result depends on. */
  readonly files?: readonly string[];
  /** Writes the result into the folder `draft`, which does not exist yet. */
  readonly into: (draft: string) => Promise<void>;
}

/** Builds `dist`, unless it was built from the same sources with the same libraries. */
export async function buildOnce({ folder, sources, files = [], into }: Build): Promise<void> {
  const inputs = await hashInputs(folder, sources, files);
  const dist = join(folder, "dist");
  if ((await readFile(join(dist, inputsFile), "utf8").catch(() => "")) === inputs) return;
  // Build into a temporary folder and rename it, so that concurrent readers and builders never see a partial `dist`.
  const draft = join(folder, `.dist-${randomUUID()}`);
  try {
    await into(draft);
    await writeFile(join(draft, inputsFile), inputs);
    await rm(dist, { recursive: true, force: true });
    await rename(draft, dist).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function hashInputs(folder: string, sources: readonly string[], files: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  const others = await ownPackages(folder);
  const ofOthers = await Promise.all(others.map((each) => filesOf(each)));
  for (const file of [...(await sourceFiles(folder, sources)), ...files, ...ofOthers.flat()]) {
    hash
      .update(`${relative(folder, file)}\0`)
      .update(await readFile(file))
      .update("\0");
  }
  for (const source of [folder, builder, ...others]) {
    for (const name of await libraries(source)) hash.update(`${name}@${await installedVersion(name, source)}\0`);
  }
  return hash.digest("hex");
}

/** Returns what a builder may read: the sources and the configuration next to them. */
async function sourceFiles(folder: string, sources: readonly string[]): Promise<readonly string[]> {
  const configuration = (await readdir(folder)).filter((name) => name === "package.json" || name.endsWith(".ts"));
  const files = await Promise.all(sources.map((source) => filesOf(join(folder, source))));
  return [...files.flat(), ...configuration.map((name) => join(folder, name))].sort();
}

async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // A package of the repository may have a result of its own.
  return files.filter((file) => !relative(folder, file).startsWith(`dist${sep}`)).sort();
}

/**
 * Returns the folders of the repository's packages that it imports from: contracts, the SDK, another version of an example. Their
 * versions do not change with their sources.
 */
async function ownPackages(folder: string): Promise<readonly string[]> {
  const { dependencies = {} } = await readPackage(folder);
  const folders = await Promise.all(Object.keys(dependencies).map((name) => realpath(dirname(packageFile(name, folder)))));
  return folders.filter((each) => !each.includes(`${sep}node_modules${sep}`));
}

interface Package {
  readonly version: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

/** A folder of another language has none. */
async function readPackage(folder: string): Promise<Package> {
  const file = join(folder, "package.json");
  return existsSync(file) ? (JSON.parse(await readFile(file, "utf8")) as Package) : { version: "" };
}

/** Returns the libraries that build the folder or are bundled into its result. */
async function libraries(folder: string): Promise<readonly string[]> {
  const { dependencies = {}, devDependencies = {} } = await readPackage(folder);
  return Object.keys({ ...dependencies, ...devDependencies }).sort();
}

async function installedVersion(name: string, folder: string): Promise<string> {
  return (await readPackage(dirname(packageFile(name, folder)))).version;
}

/** Returns the path of the `package.json` of an installed package. Throws if it is not installed. */
export function packageFile(name: string, folder: string): string {
  const from = pathToFileURL(join(folder, "package.json"));
  let file: string | undefined;
  try {
    file = findPackageJSON(name, from);
  } catch {
    // Reported below.
  }
  if (file === undefined) throw new Error(`${name} is not installed; run \`npm ci\``);
  return file;
}
