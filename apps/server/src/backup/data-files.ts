import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { create, extract } from "tar";
import { BackupError } from "./backup-error.ts";

/** Files and folders of a data folder that are kept as they are. Databases and storage are copied in other ways. */
const keptFiles = ["settings-keys.json", "acme"] as const;
const imageFolder = "registry";

/** Yields an archive with keys and certificates. */
export function dataFiles(dataDir: string): AsyncIterable<Uint8Array> {
  return archiveOf(
    dataDir,
    keptFiles.filter((file) => existsSync(join(dataDir, file))),
  );
}

/** Returns an archive with the images of the platform's registry. Undefined if there are none. */
export async function imageFiles(dataDir: string): Promise<AsyncIterable<Uint8Array> | undefined> {
  const repositories = join(imageFolder, "repositories");
  const names = await readdir(join(dataDir, repositories)).catch(() => []);
  // What names others comes first: a push at the same time then leaves nothing without its parts.
  const kinds = names.flatMap((name) => ["tags", "manifests", "blobs"].map((kind) => join(repositories, name, kind)));
  const folders = kinds.filter((folder) => existsSync(join(dataDir, folder)));
  return folders.length === 0 ? undefined : archiveOf(dataDir, folders);
}

/** Writes the files of such an archive. */
export async function writeDataFiles(dataDir: string, archive: AsyncIterable<Uint8Array>): Promise<void> {
  await pipeline(Readable.from(archive, { objectMode: false }), extract({ cwd: dataDir, strict: true }));
}

async function* archiveOf(cwd: string, files: readonly string[]): AsyncGenerator<Uint8Array> {
  let problem: Error | undefined;
  const onwarn = (_code: string, message: string, { code }: { readonly code?: unknown }): void => {
    // Removed in between: unused images are.
    if (code !== "ENOENT") problem ??= new BackupError(`The data folder cannot be read: ${message}.`);
  };
  yield* create({ cwd, onwarn }, [...files]);
  if (problem) throw problem;
}
