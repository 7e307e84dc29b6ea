import { existsSync, readdirSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import type { TarEntry } from "@appserver/contracts/folder-images";

type FileCopy = Extract<TarEntry, { readonly kind: "copy" }>;

/** Which files of a folder an archive gets, and where. */
export interface FileSelection {
  /** The folder in the archive. */
  readonly into: string;
  /** `name` is that of a file or folder. By default all are taken. */
  readonly isLeftOut?: (name: string) => boolean;
}

/**
 * Yields a file, or all files below a folder in a fixed order. `path` is relative to `folder`. Links are followed; those that lead
 * nowhere are left out. Every user may read the files in the archive.
 */
export function* filesBelow(folder: string, path: string, selection: FileSelection): Generator<FileCopy> {
  if (selection.isLeftOut?.(posix.basename(path))) return;
  const source = join(folder, path);
  if (statSync(source).isFile()) {
    yield { kind: "copy", path: posix.join(selection.into, path), source };
    return;
  }
  for (const name of readdirSync(source).sort())
    if (existsSync(join(source, name))) yield* filesBelow(folder, posix.join(path, name), selection);
}
