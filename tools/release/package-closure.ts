import { dirname } from "node:path/posix";

export interface LockEntry {
  readonly version?: string;
  /** The folder of a package of the repository. */
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The packages of `package-lock.json`, by folder. */
export type LockedPackages = Readonly<Record<string, LockEntry>>;

/** What a package of the repository needs to run. */
export interface PackageClosure {
  /** Folders of the repository's packages, by name. */
  readonly own: ReadonlyMap<string, string>;
  /** Folders of the others: `node_modules/pg`. */
  readonly others: readonly string[];
  /** Versions of those that are used where npm can install them. */
  readonly optional: Readonly<Record<string, string>>;
}

/** Returns the packages that the one in `folder` needs, directly or not. Throws if one is not in the lock file. */
export function packageClosure(lock: LockedPackages, folder: string): PackageClosure {
  const own = new Map<string, string>();
  const others = new Set<string>();
  const optional: Record<string, string> = {};
  const waiting = [folder];
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    const entry = lock[from];
    // Those of other packages have no use on a server.
    if (!from.includes("node_modules/")) Object.assign(optional, entry?.optionalDependencies);
    for (const name of Object.keys(entry?.dependencies ?? {})) {
      const place = placeOf(lock, from, name);
      const { link, resolved } = lock[place] ?? {};
      const target = link && resolved !== undefined ? resolved : place;
      if (own.has(name) || others.has(target)) continue;
      if (link) own.set(name, target);
      else others.add(target);
      waiting.push(target);
    }
  }
  return { own, others: [...others].sort(), optional };
}

/** Returns where Node finds a package for code in the folder. */
function placeOf(lock: LockedPackages, from: string, name: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = folder === "." ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (place in lock) return place;
    if (folder === ".") throw new Error(`package-lock.json has no ${name}, which ${from} needs`);
  }
}
