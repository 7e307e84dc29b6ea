import { isStorageName, storageNameLimit, storageNamePattern, storageSizePattern } from "@appserver/contracts/names";
import { quote } from "@appserver/contracts/patterns";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { hasContainer } from "./has-container.ts";
import { manifestLimits } from "./manifest-limits.ts";
import type { Violations } from "./violations.ts";

/** Segments that a path of a mount is made of. `:` and `,` are separators in the notations of engines. */
const pathPattern = /^(\/[A-Za-z0-9_.@+-]+)+$/;

/** Folders of the system and of the platform, with everything below them. */
const reservedFolders = [
  "/bin",
  "/boot",
  "/dev",
  "/etc",
  "/proc",
  "/run",
  "/sbin",
  "/sys",
  "/tmp",
  "/usr",
  // Links to folders above, in most images.
  "/var/run",
  "/var/lock",
];
/** `/lib`, `/lib64` and the like. */
const libraryFolder = /^\/lib(32|64|x32)?(\/|$)/;
/** Folders that contain so much else that a mount must be deeper. */
const sharedFolders: ReadonlySet<string> = new Set(["/home", "/media", "/mnt", "/opt", "/root", "/srv", "/var", "/var/lib"]);

/** Checks the folders that outlive the containers of the app (docs/interface/manifest.md#storage). */
export function checkStorage(manifest: AppManifest, violations: Violations): void {
  const names = new Set<string>();
  const paths: string[] = [];
  for (const [index, { name, mountPath, size }] of manifest.storage.entries()) {
    const field = `storage[${index}]`;
    const form = `must match ${storageNamePattern.source} and have at most ${storageNameLimit} characters`;
    violations.check(isStorageName(name), `${field}.name`, `${form}, got ${quote(name)}`);
    violations.check(!names.has(name), `${field}.name`, `${quote(name)} is declared twice`);
    names.add(name);
    violations.check(
      storageSizePattern.test(size),
      `${field}.size`,
      `must be a whole number up to 9999 with Mi, Gi or Ti, like 100Mi, got ${quote(size)}`,
    );
    violations.none(pathProblem(mountPath, paths), `${field}.mount_path`);
    paths.push(mountPath);
  }
  if (manifest.storage.length > 0 && !hasContainer(manifest))
    violations.warn("storage", "has no effect: the platform runs no container for this app");
}

function pathProblem(path: string, others: readonly string[]): string | undefined {
  const { mountPathLength } = manifestLimits;
  if (path.length > mountPathLength || !pathPattern.test(path) || /\/\.\.?(\/|$)/.test(path))
    return `must be an absolute path like /data, of at most ${mountPathLength} letters, digits and ._-@+, got ${quote(path)}`;
  const isReserved = libraryFolder.test(path) || sharedFolders.has(path) || reservedFolders.some((each) => isIn(path, each));
  if (isReserved) return `must not be a folder of the system or of the platform, got ${quote(path)}`;
  const other = others.find((each) => isIn(path, each) || isIn(each, path));
  return other === undefined
    ? undefined
    : `must be neither in nor around another mount path, got ${quote(path)} and ${quote(other)}`;
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
