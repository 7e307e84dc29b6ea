import { mkdirSync } from "node:fs";
import { open, readFile, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { type Clock, forEachLimited } from "@appserver/kernel";
import type { ByteRange } from "../domain/byte-range.ts";
import { type ImageManifest, parseManifest } from "../domain/image-manifest.ts";
import { RegistryError } from "../domain/registry-error.ts";
import type { Reference } from "../domain/target.ts";
import type { ImageLimits, ImageStore, NewManifest, StoredManifest, UnusedSince, UploadRef } from "../ports.ts";
import { Discards } from "./discards.ts";
import { countedSize, linkTo, namesIn, place, sizeOf, unlessMissing, writeWhole } from "./files.ts";
import { UploadFolder } from "./upload-folder.ts";
import { Usage } from "./usage.ts";

export interface ImageFolderOptions {
  readonly folder: string;
  readonly limits: ImageLimits;
  readonly clock: Clock;
}

const readsAtATime = 8;
/** Of a manifest, with those of the manifests in it. */
const maxReferences = 4_096;
/** Of a repository. */
const kinds = ["blobs", "manifests", "tags"] as const;

/**
 * Images in a folder: `repositories/<app>/{blobs,manifests,tags}`. Blobs and manifests are named by their digest. The time of a file is
 * that of its last use in a push.
 */
export class ImageFolder implements ImageStore {
  readonly #repositories: string;
  readonly #drafts: string;
  readonly #clock: Clock;
  readonly #uploads: UploadFolder;
  readonly #discards: Discards;
  readonly #usage: Usage;

  /** Makes the folder. Throws if that is not possible. */
  constructor({ folder, limits, clock }: ImageFolderOptions) {
    const folderOf = (name: string): string => {
      const path = join(folder, name);
      mkdirSync(path, { recursive: true, mode: 0o700 });
      return path;
    };
    this.#repositories = folderOf("repositories");
    this.#drafts = folderOf("writing");
    this.#clock = clock;
    const maxBytes = limits.maxLayerBytes;
    this.#uploads = new UploadFolder({ waiting: folderOf("uploads"), writing: this.#drafts, maxBytes, clock });
    this.#discards = new Discards(this.#repositories, folderOf("discarded"), clock);
    this.#usage = new Usage({
      limits,
      clock,
      measureApp: async (app) => (await this.#bytesOf(app)) + (await this.#uploads.bytes(app)),
      measureAll: () => this.#bytesOfAll(),
    });
  }

  async blobSize(app: string, digest: string, marks: boolean): Promise<number | undefined> {
    const file = this.#file(app, "blobs", digest);
    if (marks && !(await this.#discards.mark(file))) return undefined;
    return await sizeOf(file);
  }

  async readBlob(app: string, digest: string, range?: ByteRange): Promise<Readable | undefined> {
    const handle = await unlessMissing(open(this.#file(app, "blobs", digest)));
    return handle?.createReadStream(range);
  }

  async mountBlob(from: string, app: string, digest: string): Promise<boolean> {
    const [source, file] = [this.#file(from, "blobs", digest), this.#file(app, "blobs", digest)];
    const size = await this.blobSize(from, digest, true);
    if (size === undefined) return false;
    return await this.#usage.during(app, async (add) => {
      if ((await sizeOf(file)) === undefined) add(countedSize(size));
      return (await linkTo(source, file)) && (await this.#discards.mark(file));
    });
  }

  async readManifest(app: string, reference: Reference): Promise<StoredManifest | undefined> {
    const digest = "digest" in reference ? reference.digest : await this.#digestOf(app, reference.tag);
    if (digest === undefined) return undefined;
    const bytes = await unlessMissing(readFile(this.#file(app, "manifests", digest)));
    return bytes && { digest, bytes };
  }

  async writeManifest(app: string, { digest, bytes, blobs, manifests, tag }: NewManifest): Promise<boolean> {
    await this.#requireAll(app, { blobs, manifests });
    const file = this.#file(app, "manifests", digest);
    const isNew = !(await this.#discards.mark(file));
    return await this.#usage.during(app, async (add) => {
      if (isNew) {
        add(countedSize(bytes.byteLength));
        await writeWhole(this.#drafts, file, bytes, this.#clock.now());
      }
      if (tag === undefined || (await this.#digestOf(app, tag)) === digest) return isNew;
      add(countedSize(0));
      await writeWhole(this.#drafts, this.#tag(app, tag), digest, this.#clock.now());
      return true;
    });
  }

  async tags(app: string, last: string, limit: number): Promise<readonly string[]> {
    const names = await namesIn(join(this.#repositories, app, "tags"));
    return names
      .filter((name) => name > last)
      .sort()
      .slice(0, limit);
  }

  beginUpload(app: string, owner: string): Promise<string> {
    return this.#usage.during(app, async (add) => {
      add(countedSize(0));
      return await this.#uploads.begin(app, owner);
    });
  }

  uploadedBytes(upload: UploadRef): Promise<number | undefined> {
    return this.#uploads.size(upload);
  }

  append(upload: UploadRef, start: number | undefined, body: AsyncIterable<Uint8Array>): Promise<number> {
    return this.#usage.during(upload.app, (add) => this.#uploads.append(upload, start, body, add));
  }

  finishUpload(upload: UploadRef, digest: string): Promise<void> {
    return this.#uploads.finish(upload, digest, (file) => place(file, this.#file(upload.app, "blobs", digest)));
  }

  cancelUpload(upload: UploadRef): Promise<boolean> {
    return this.#uploads.cancel(upload);
  }

  async removeUnused({ retained, keptSince, activeSince }: UnusedSince, signal: AbortSignal): Promise<number> {
    await this.#discards.recover(keptSince);
    let removed = await this.#uploads.removeInactive(activeSince);
    for (const app of await namesIn(this.#repositories)) {
      if (signal.aborted) break;
      removed += await this.#removeUnusedOf(app, retained, keptSince);
    }
    return removed;
  }

  async #removeUnusedOf(app: string, retained: ReadonlySet<string>, keptSince: number): Promise<number> {
    const kept = await this.#keptOf(app, retained, keptSince);
    let removed = 0;
    const discard = async (file: string): Promise<void> => {
      if (await this.#discards.removeUnused(file, keptSince)) removed += 1;
    };
    for (const kind of ["manifests", "blobs"] as const)
      for (const name of await namesIn(join(this.#repositories, app, kind)))
        if (!kept.has(`sha256:${name}`)) await discard(join(this.#repositories, app, kind, name));
    for (const tag of await namesIn(join(this.#repositories, app, "tags"))) {
      const digest = await this.#digestOf(app, tag);
      if (digest !== undefined && (await sizeOf(this.#file(app, "manifests", digest))) === undefined)
        await discard(this.#tag(app, tag));
    }
    await this.#removeIfEmpty(app);
    return removed;
  }

  /** Returns the digests of the manifests that stay, of the manifests in them, and of their blobs. */
  async #keptOf(app: string, retained: ReadonlySet<string>, keptSince: number): Promise<ReadonlySet<string>> {
    const kept = new Set<string>();
    const keep = async (digest: string): Promise<void> => {
      if (kept.has(digest)) return;
      kept.add(digest);
      const stored = await this.readManifest(app, { digest });
      const inside = stored && readable(stored.bytes);
      for (const blob of inside?.blobs ?? []) kept.add(blob);
      for (const each of inside?.manifests ?? []) await keep(each);
    };
    const folder = join(this.#repositories, app, "manifests");
    for (const name of await namesIn(folder)) {
      const digest = `sha256:${name}`;
      const found = await unlessMissing(stat(join(folder, name)));
      if (found && (retained.has(digest) || found.mtimeMs >= keptSince)) await keep(digest);
    }
    return kept;
  }

  /** A folder that is not empty stays. */
  async #removeIfEmpty(app: string): Promise<void> {
    const repository = join(this.#repositories, app);
    for (const folder of [...kinds.map((kind) => join(repository, kind)), repository]) await rmdir(folder).catch(() => {});
  }

  /** Marks all that a manifest refers to, also what the manifests in an index refer to. */
  async #requireAll(app: string, { blobs, manifests }: Pick<NewManifest, "blobs" | "manifests">): Promise<void> {
    const pending = [...manifests];
    const layers = new Set(blobs);
    for (let digest = pending.pop(); digest !== undefined; digest = pending.pop()) {
      await this.#require(app, "manifests", digest);
      const stored = await this.readManifest(app, { digest });
      const inside = stored && parseManifest(stored.bytes);
      pending.push(...(inside?.manifests ?? []));
      for (const blob of inside?.blobs ?? []) layers.add(blob);
      if (pending.length + layers.size > maxReferences)
        throw new RegistryError("MANIFEST_INVALID", `the manifest refers to more than ${maxReferences} blobs and manifests`);
    }
    await forEachLimited(layers, readsAtATime, (each) => this.#require(app, "blobs", each));
  }

  async #require(app: string, kind: "blobs" | "manifests", digest: string): Promise<void> {
    if (await this.#discards.mark(this.#file(app, kind, digest))) return;
    throw new RegistryError("MANIFEST_BLOB_UNKNOWN", `the repository has no ${digest}, to which the manifest refers`);
  }

  async #digestOf(app: string, tag: string): Promise<string | undefined> {
    return await unlessMissing(readFile(this.#tag(app, tag), "utf8"));
  }

  async #bytesOf(app: string): Promise<number> {
    let bytes = 0;
    for (const kind of kinds) {
      const folder = join(this.#repositories, app, kind);
      await forEachLimited(await namesIn(folder), readsAtATime, async (name) => {
        const size = await sizeOf(join(folder, name));
        bytes += size === undefined ? 0 : countedSize(size);
      });
    }
    return bytes;
  }

  async #bytesOfAll(): Promise<number> {
    let bytes = await this.#uploads.bytes();
    for (const app of await namesIn(this.#repositories)) bytes += await this.#bytesOf(app);
    return bytes;
  }

  #file(app: string, kind: "blobs" | "manifests", digest: string): string {
    return join(this.#repositories, app, kind, digest.slice("sha256:".length));
  }

  #tag(app: string, tag: string): string {
    return join(this.#repositories, app, "tags", tag);
  }
}

/** A file that a disk has damaged must not end the removal of all others. */
function readable(bytes: Uint8Array): ImageManifest | undefined {
  try {
    return parseManifest(bytes);
  } catch {
    return undefined;
  }
}
