import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import type { TarEntry } from "@appserver/contracts/folder-images";

/** A library that a program is linked to. */
export interface LinkedLibrary {
  /** The name under which the loader looks for it, or its absolute path if the program names that. */
  readonly name: string;
  /** The file that the loader of this machine takes. */
  readonly path: string;
}

/**
 * Libraries that are loaded by name later: by host lookups, and by `pthread_exit()`. They are in the folder of the C library if the
 * machine has them.
 */
const loadedLater = ["libnss_files.so.2", "libnss_dns.so.2", "libresolv.so.2", "libgcc_s.so.1"];

/**
 * Returns the libraries that the loader maps for these programs and modules, and the loader itself. A library goes to the folder of
 * the C library, which the loader searches in any image. On this machine it may be in a folder that only a configuration or a path
 * in the program names. Libraries in `copiedFolders` are left out, because the image has them where the module expects them.
 */
export function sharedLibraries(programs: readonly string[], copiedFolders: readonly string[] = []): TarEntry[] {
  if (programs.length === 0) return [];
  const linked = linkedLibraries(execFileSync("ldd", programs, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }));
  const folder = dirname(linked.find(({ name }) => name.startsWith("libc.so"))?.path ?? "/lib/libc.so");
  const later = loadedLater.map((name) => ({ name, path: join(folder, name) })).filter(({ path }) => existsSync(path));
  const isCopied = (path: string) => copiedFolders.some((copied) => posix.normalize(path).startsWith(`${copied}/`));
  const sources = new Map<string, string>();
  for (const { name, path } of [...linked, ...later]) {
    const target = posix.resolve(folder, name);
    if (!isCopied(path) && !sources.has(target)) sources.set(target, realpathSync(path));
  }
  return [...sources].map(([target, source]) => ({ kind: "copy", path: target.slice(1), source, mode: 0o755 }));
}

/** Reads the output of `ldd`. Leaves out what the kernel provides and what this machine does not have. */
export function linkedLibraries(output: string): LinkedLibrary[] {
  return output.split("\n").flatMap((line) => {
    const [, name = "", path = name] = /^\s+(\S+)(?: => (\/\S+))? \(0x/.exec(line) ?? [];
    return path.startsWith("/") ? [{ name, path }] : [];
  });
}
