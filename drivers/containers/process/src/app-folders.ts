import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { lstat, mkdir, opendir, rm } from "node:fs/promises";
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
    const uses = (mount: StorageMount): boolean => name === undefined || mount.name === name;
    const user = containers.find(({ labels, storage }) => isSame(ownerOf(labels), owner) && storage.some(uses));
    if (user) throw new ContainerError("other", `the storage is in use by ${user.name}`);
    await rm(this.#folder(owner, name), { recursive: true, force: true });
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
  return statSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder) : [];
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
