import { constants, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { cp, lstat, mkdir, opendir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  ContainerError,
  containerLabels,
  type StorageMount,
  type StorageOwner,
  type StorageSelection,
  type StorageView,
  storageArchiveFolder,
} from "@appserver/kernel/ports";
import { create, extract } from "tar";
import type { ContainerRecord } from "./container-record.ts";

type StoredContainer = Pick<ContainerRecord, "name" | "labels" | "storage">;

/**
 * Keeps the storage of apps in folders, `{instance}/{app id}/{name}` (docs/interface/containers.md#storage). Processes share the file
 * system, so nothing prevents an app from reading the folders of another one.
 */
export class AppFolders {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Creates the missing folders of a container. Returns the variables that contain their paths. */
  make({ labels, storage }: StoredContainer): Readonly<Record<string, string>> {
    return Object.fromEntries(
      storage.map(({ name, variable }) => {
        const folder = this.#folder(ownerOf(labels), name);
        if (!existsSync(folder) && existsSync(this.#nextTo(ownerOf(labels), name, "replaced")))
          throw new ContainerError("other", `the copy that replaces the storage ${name} was interrupted`);
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        return [variable, folder];
      }),
    );
  }

  async list(
    { instance, appId }: StorageSelection,
    measure?: { readonly signal: AbortSignal },
  ): Promise<readonly StorageView[]> {
    const apps = appId === undefined ? namesIn(join(this.#root, checked(instance))) : [appId];
    const found: StorageView[] = [];
    for (const app of apps) {
      const owner = { instance, appId: app };
      for (const name of namesIn(this.#folder(owner))) {
        const folder = this.#folder(owner, name);
        const used = measure ? { usedBytes: await sizeOf(folder, measure.signal) } : {};
        found.push({ ...owner, name, createdAt: statSync(folder).birthtime, ...used });
      }
    }
    return found;
  }

  /** Deletes one folder of an app, without a name all of them, unless one of `containers` has them. */
  async remove(owner: StorageOwner, name: string | undefined, containers: readonly StoredContainer[]): Promise<void> {
    requireUnused(owner, name, containers);
    const parts = name === undefined ? [] : (["copying", "replaced"] as const).map((kind) => this.#nextTo(owner, name, kind));
    for (const folder of [this.#folder(owner, name), ...parts]) await rm(folder, { recursive: true, force: true });
  }

  /**
   * Replaces a folder by a copy, which shares the contents of files with the original if the file system can. Sockets and pipes are left
   * out. Returns the size of the copy.
   */
  async copy(
    from: StorageOwner,
    to: StorageOwner,
    name: string,
    { containers, signal }: { readonly containers: readonly StoredContainer[]; readonly signal: AbortSignal },
  ): Promise<number> {
    requireUnused(to, name, containers);
    const [source, target] = [this.#folder(from, name), this.#folder(to, name)];
    if (!existsSync(source)) throw new ContainerError("not_found", `there is no storage ${name} to copy`);
    const [copying, replaced] = [this.#nextTo(to, name, "copying"), this.#nextTo(to, name, "replaced")];
    await rm(copying, { recursive: true, force: true });
    await mkdir(this.#folder(to), { recursive: true, mode: 0o700 });
    const filter = async (path: string): Promise<boolean> => {
      signal.throwIfAborted();
      const found = await lstat(path);
      return found.isDirectory() || found.isFile() || found.isSymbolicLink();
    };
    const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, mode: constants.COPYFILE_FICLONE };
    await cp(source, copying, { ...options, filter });
    const bytes = await sizeOf(copying, signal);
    // A killed process may have left the replaced folder, and then the target is missing.
    if (existsSync(target)) {
      await rm(replaced, { recursive: true, force: true });
      await rename(target, replaced);
    }
    await rename(copying, target);
    await rm(replaced, { recursive: true, force: true });
    return bytes;
  }

  /** Returns a folder next to a storage, which has no name of a storage. */
  #nextTo(owner: StorageOwner, name: string, kind: "copying" | "replaced"): string {
    return join(this.#folder(owner), `.${kind}-${checked(name)}`);
  }

  async *read(owner: StorageOwner, name: string): AsyncGenerator<Uint8Array> {
    const folder = this.#folder(owner, name);
    if (!existsSync(folder)) throw new ContainerError("not_found", `there is no folder ${folder}`);
    yield* create({ cwd: folder, prefix: storageArchiveFolder }, ["."]);
  }

  async write(owner: StorageOwner, name: string, archive: AsyncIterable<Uint8Array>): Promise<void> {
    const folder = this.#folder(owner, name);
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
      throw new ContainerError("name_conflict", `there is a folder ${folder} already`);
    });
    await pipeline(Readable.from(archive, { objectMode: false }), extract({ cwd: folder, strip: 1, strict: true }));
  }

  #folder({ instance, appId }: StorageOwner, name?: string): string {
    return join(this.#root, ...[instance, appId, ...(name === undefined ? [] : [name])].map(checked));
  }
}

function requireUnused(owner: StorageOwner, name: string | undefined, containers: readonly StoredContainer[]): void {
  const uses = (mount: StorageMount): boolean => name === undefined || mount.name === name;
  const user = containers.find(({ labels, storage }) => isSame(ownerOf(labels), owner) && storage.some(uses));
  if (user) throw new ContainerError("other", `the storage is in use by ${user.name}`);
}

function ownerOf(labels: ContainerRecord["labels"]): StorageOwner {
  return { instance: labels[containerLabels.instance] ?? "", appId: labels[containerLabels.appId] ?? "" };
}

function isSame(left: StorageOwner, right: StorageOwner): boolean {
  return left.instance === right.instance && left.appId === right.appId;
}

/** The parts of an owner and the names of storage become names of folders. */
function checked(part: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(part)) return part;
  throw new ContainerError("other", `no name of a folder: ${JSON.stringify(part)}`);
}

function namesIn(folder: string): readonly string[] {
  if (!statSync(folder, { throwIfNoEntry: false })) return [];
  return readdirSync(folder).filter((name) => !name.startsWith("."));
}

/** Returns the size of all files below the folder. Files that are deleted in between do not count. */
async function sizeOf(folder: string, signal: AbortSignal): Promise<number> {
  let bytes = 0;
  const open = [folder];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const entries = await opendir(path).catch(() => undefined);
    for await (const entry of entries ?? []) {
      signal.throwIfAborted();
      const inner = join(path, entry.name);
      if (entry.isDirectory()) open.push(inner);
      else bytes += (await lstat(inner).catch(() => undefined))?.size ?? 0;
    }
  }
  return bytes;
}
