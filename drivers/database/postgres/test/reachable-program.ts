import { chmod, cp, mkdir, readFile, realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { type Account, canUse } from "../src/embedded/account.ts";

/** A Node and one of its scripts, both executable for an account. */
export interface ReachableProgram {
  readonly node: string;
  readonly script: string;
}

const driver = join(import.meta.dirname, "..");
const repository = join(driver, "..", "..", "..");

/**
 * Returns the program of `script`, a file of this package. If the account cannot enter a folder above the checkout or above
 * Node, as in a checkout of root below /root, both are copied into `folder` with every package that the script may import.
 */
export async function reachableProgram(
  script: string,
  account: Account | undefined,
  folder: string,
): Promise<ReachableProgram> {
  const node = process.execPath;
  if (!account || ((await canUse(account, { run: node })) && (await canUse(account, { read: script }))))
    return { node, script };
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  await copyPackage(driver, folder, new Set());
  const copy = join(folder, "node");
  await cp(node, copy);
  return { node: copy, script: join(folder, relative(repository, script)) };
}

/** Copies a package and its dependencies to the same places below `folder`. Workspaces stay outside of `node_modules`. */
async function copyPackage(source: string, folder: string, done: Set<string>): Promise<void> {
  if (done.has(source)) return;
  done.add(source);
  const target = join(folder, relative(repository, source));
  const isOwn = (path: string): boolean => basename(path) !== "node_modules";
  await cp(source, target, { recursive: true, verbatimSymlinks: true, filter: isOwn });
  const { dependencies, optionalDependencies } = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = await findPackage(name, source);
    if (!found) continue;
    await copyPackage(await realpath(found), folder, done);
    const link = join(folder, relative(repository, found));
    await mkdir(dirname(link), { recursive: true });
    await cp(found, link, { recursive: true, verbatimSymlinks: true, filter: isOwn });
  }
}

/** Returns the folder in which Node finds a package. Undefined if it is not installed, as an optional one of another platform. */
async function findPackage(name: string, from: string): Promise<string | undefined> {
  for (const folder of createRequire(join(from, "package.json")).resolve.paths(name) ?? []) {
    const candidate = join(folder, name);
    const content = await readFile(join(candidate, "package.json")).catch(() => undefined);
    if (content) return candidate;
  }
  return undefined;
}
