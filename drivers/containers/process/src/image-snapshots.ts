import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, readlink, realpath, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { withFileLock } from "@appserver/kernel/files";
import { copyFolder } from "./copy-folder.ts";
import { DraftFolders } from "./draft-folders.ts";

/** A copy of an app's folder, with the command that runs it. */
export interface Snapshot {
  /** `sha256:…` over the command and the folder's contents, or that of the image in its registry. */
  readonly digest: string;
  readonly command: readonly string[];
  readonly folder: string;
}

export interface SnapshotSource {
  readonly command: readonly string[];
  /** The folder to copy. */
  readonly cwd: string;
  /** Folders in it that are not copied. */
  readonly leftOut?: readonly string[];
}

export interface ImageSnapshotsOptions {
  readonly folder: string;
  /** How many snapshots of an image are kept, in addition to those in use. */
  readonly limit: number;
  /** Whether a container runs, or may run again, in a snapshot's folder. */
  readonly isUsed: (folder: string) => boolean;
}

/**
 * The snapshots of images: `<folder>/<image>/<sha256>/app`. A rename makes each one visible when it is complete, and it is never
 * changed. Links next to `app`, and in place of the app's own `node_modules`, lead to those that the source folder uses.
 */
export class ImageSnapshots {
  readonly #options: ImageSnapshotsOptions;
  readonly #drafts: DraftFolders;

  constructor(options: ImageSnapshotsOptions) {
    this.#options = options;
    // No image has a folder whose name begins with a dot.
    this.#drafts = new DraftFolders(join(options.folder, ".drafts"));
  }

  /**
   * Copies the folder, unless a snapshot has the same contents, and returns the digest. Copies nothing and returns undefined if
   * the folder is missing, or has another digest than the `expected` one. Rejects when `signal` aborts.
   */
  async take(image: string, source: SnapshotSource, signal: AbortSignal, expected?: string): Promise<string | undefined> {
    if (!existsSync(source.cwd)) return undefined;
    const from = { ...source, cwd: await realpath(source.cwd) };
    const waiting = { signal, timeoutMs: Number.POSITIVE_INFINITY };
    return await this.#locked(image, waiting, async (folder) => {
      const present = await copyFolder(from.cwd, { ...without(from), signal });
      const digest = digestOf(source.command, present.hash);
      if (expected !== undefined && digest !== expected) return undefined;
      if (existsSync(join(folder, hexOf(digest)))) {
        await linkModules(join(folder, hexOf(digest)), from.cwd, present.modules);
        await this.#touch(folder, digest);
        return digest;
      }
      const copied = await this.#copy(folder, from, signal);
      await this.#removeOld(folder, copied);
      return copied;
    });
  }

  /**
   * Keeps a folder that `fill` makes, under the given digest. `fill` gets a draft folder, makes `app` in it, and returns the command; what
   * else it leaves there is kept, too. Not called if there is such a snapshot. A kill leaves no incomplete one.
   */
  async add(
    image: string,
    digest: string,
    fill: (draft: string) => Promise<readonly string[]>,
    signal: AbortSignal,
  ): Promise<void> {
    if (await this.has(image, digest)) return;
    // Other snapshots of the image are used while this one is downloaded, so only the last step holds the lock.
    await this.#drafts.use(async (draft) => {
      await writeFile(join(draft, commandFile), JSON.stringify(await fill(draft)));
      await this.#locked(image, { signal, timeoutMs: Number.POSITIVE_INFINITY }, async (folder) => {
        if (!existsSync(join(folder, hexOf(digest)))) await rename(draft, join(folder, hexOf(digest)));
        await this.#removeOld(folder, digest);
      });
    });
  }

  /** Calls `work` with the snapshot, which stays during the call. Resolves with undefined if there is no such snapshot. */
  async use<T>(image: string, digest: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T | undefined> {
    if (!(await this.has(image, digest))) return undefined;
    return await this.#locked(image, {}, async (folder) => {
      const command = await readCommand(join(folder, hexOf(digest)));
      if (!command) return undefined;
      await this.#touch(folder, digest);
      return await work({ digest, command, folder: join(folder, hexOf(digest), "app") });
    });
  }

  async has(image: string, digest: string): Promise<boolean> {
    return isDigest(digest) && existsSync(join(this.#folderOf(image), hexOf(digest)));
  }

  /** Copies into a draft folder, so that a kill leaves no incomplete snapshot. The next copy removes the draft. */
  async #copy(folder: string, source: SnapshotSource, signal: AbortSignal): Promise<string> {
    for (const name of await readdir(folder)) {
      if (name.startsWith(".")) await rm(join(folder, name), { recursive: true, force: true });
    }
    const draft = join(folder, `.draft-${randomUUID()}`);
    const { command, cwd } = source;
    try {
      const { hash, modules } = await copyFolder(cwd, { ...without(source), into: join(draft, "app"), signal });
      const digest = digestOf(command, hash);
      await writeFile(join(draft, commandFile), JSON.stringify(command));
      await linkModules(draft, cwd, modules);
      // The contents may have changed since they were hashed, and may now equal those of an existing snapshot.
      if (!existsSync(join(folder, hexOf(digest)))) await rename(draft, join(folder, hexOf(digest)));
      return digest;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  /** Removes the snapshots beyond the limit that were not used for the longest time. */
  async #removeOld(folder: string, newest: string): Promise<void> {
    const snapshots = (await readdir(folder)).filter((name) => isDigest(`sha256:${name}`) && name !== hexOf(newest));
    const aged = await Promise.all(snapshots.map(async (name) => ({ name, usedAt: (await stat(join(folder, name))).mtimeMs })));
    const unused = aged
      .sort((left, right) => right.usedAt - left.usedAt)
      .slice(Math.max(0, this.#options.limit - 1))
      .filter(({ name }) => !this.#options.isUsed(join(folder, name, "app")));
    for (const { name } of unused) {
      // Renamed first: a removal may be interrupted as well.
      const removed = join(folder, `.removed-${randomUUID()}`);
      await rename(join(folder, name), removed);
      await rm(removed, { recursive: true, force: true });
    }
  }

  async #touch(folder: string, digest: string): Promise<void> {
    const now = new Date();
    await utimes(join(folder, hexOf(digest)), now, now);
  }

  async #locked<T>(
    image: string,
    options: { readonly signal?: AbortSignal; readonly timeoutMs?: number },
    work: (folder: string) => Promise<T>,
  ): Promise<T> {
    const folder = this.#folderOf(image);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Node does not remove the types of TypeScript below such a folder.
    if ((await realpath(folder)).split(sep).includes("node_modules")) {
      throw new Error(`the folder of the snapshots is below a node_modules: ${folder}`);
    }
    return await withFileLock(`${folder}.lock`, () => work(folder), options);
  }

  /** Images with the same file name may share a folder: a digest names the same contents in each. */
  #folderOf(image: string): string {
    return join(this.#options.folder, image.replaceAll(/[^a-zA-Z0-9.-]/g, "_").replace(/^\.+/, "_"));
  }
}

const commandFile = "command.json";

function without({ leftOut }: SnapshotSource): { readonly leftOut?: readonly string[] } {
  return leftOut === undefined ? {} : { leftOut };
}

function digestOf(command: readonly string[], contents: string): string {
  return `sha256:${createHash("sha256")
    .update(JSON.stringify([command, contents]))
    .digest("hex")}`;
}

function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

function hexOf(digest: string): string {
  return digest.slice("sha256:".length);
}

async function readCommand(snapshot: string): Promise<readonly string[] | undefined> {
  try {
    return JSON.parse(await readFile(join(snapshot, commandFile), "utf8")) as readonly string[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Links the `node_modules` in the source and the nearest one above it. The source may have moved since the last call. */
async function linkModules(snapshot: string, source: string, modules: readonly string[]): Promise<void> {
  for (const path of modules) await link(join(source, path), join(snapshot, "app", path));
  const above = modulesAbove(source);
  if (above !== undefined) await link(above, join(snapshot, "node_modules"));
}

function modulesAbove(folder: string): string | undefined {
  for (let [below, parent] = [folder, dirname(folder)]; parent !== below; [below, parent] = [parent, dirname(parent)]) {
    if (existsSync(join(parent, "node_modules"))) return join(parent, "node_modules");
  }
  return undefined;
}

async function link(target: string, path: string): Promise<void> {
  if ((await readlink(path).catch(() => undefined)) === target) return;
  const draft = `${path}.${randomUUID()}`;
  await symlink(target, draft);
  await rename(draft, path);
}
