import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@appserver/kernel";
import { RegistryError } from "../domain/registry-error.ts";
import type { UploadRef } from "../ports.ts";
import { countedSize, diskError, namesIn, setUsed, sizeOf, unlessMissing } from "./files.ts";

/** Uploads that are not finished. */
const limits = { ofOwner: 32, inAll: 256 } as const;
const hashChunkBytes = 262_144;

export interface UploadFolderDeps {
  /** Of uploads that wait for a request. */
  readonly waiting: string;
  /** Of uploads to which a request adds. */
  readonly writing: string;
  readonly maxBytes: number;
  readonly clock: Clock;
}

/**
 * Blobs on their way: one file for each, whose name has its id, its account and its repository, so that every process finds it. A request
 * moves the file into the other folder while it works on it, so that no second one does.
 */
export class UploadFolder {
  readonly #deps: UploadFolderDeps;

  constructor(deps: UploadFolderDeps) {
    this.#deps = deps;
  }

  async begin(app: string, owner: string): Promise<string> {
    const upload = { app, owner, id: randomUUID() };
    const file = this.#waiting(upload);
    await (await open(file, "wx", 0o600)).close();
    const all = await this.#names();
    const own = all.filter((name) => name.includes(`.${ownerKey(owner)}.`));
    if (all.length <= limits.inAll && own.length <= limits.ofOwner) return upload.id;
    await rm(file, { force: true });
    throw new RegistryError(
      "TOOMANYREQUESTS",
      own.length > limits.ofOwner
        ? `this account has ${limits.ofOwner} uploads that are not finished; finish or cancel one`
        : "the registry has too many uploads that are not finished; retry later",
    );
  }

  size(upload: UploadRef): Promise<number | undefined> {
    return sizeOf(this.#waiting(upload));
  }

  async append(
    upload: UploadRef,
    start: number | undefined,
    body: AsyncIterable<Uint8Array>,
    onBytes: (bytes: number) => void,
  ): Promise<number> {
    return await this.#working(upload, async (file) => {
      const handle = await open(file, "a");
      try {
        const { size } = await handle.stat();
        if (start !== undefined && start !== size)
          throw new RegistryError("RANGE_INVALID", `the upload has ${size} bytes, and the chunk begins at ${start}`);
        return await this.#write(handle, size, body, onBytes);
      } finally {
        await handle.close();
      }
    });
  }

  /** Moves the file with `place` once it is on the disk and has the digest. Otherwise removes it, and rejects with DIGEST_INVALID. */
  async finish(upload: UploadRef, digest: string, place: (file: string) => Promise<void>): Promise<void> {
    await this.#working(upload, async (file) => {
      const actual = await syncedDigest(file);
      if (actual === digest) {
        await setUsed(file, this.#deps.clock.now());
        await place(file);
        return;
      }
      await rm(file, { force: true });
      throw new RegistryError("DIGEST_INVALID", `the uploaded bytes have the digest ${actual}, and not ${digest}`);
    });
  }

  /** Returns whether there was such an upload. */
  async cancel(upload: UploadRef): Promise<boolean> {
    return (await unlessMissing(rm(this.#waiting(upload)).then(() => true))) ?? false;
  }

  /** Returns what all uploads count, or those of one repository. */
  async bytes(app?: string): Promise<number> {
    let bytes = 0;
    for (const folder of [this.#deps.waiting, this.#deps.writing])
      for (const name of await namesIn(folder))
        if (app === undefined || appOf(name) === app) bytes += countedSize((await sizeOf(join(folder, name))) ?? 0);
    return bytes;
  }

  /** Removes uploads that got nothing since a time. */
  async removeInactive(activeSince: number): Promise<number> {
    let removed = 0;
    for (const folder of [this.#deps.waiting, this.#deps.writing])
      for (const name of await namesIn(folder)) {
        const file = join(folder, name);
        const found = await unlessMissing(stat(file));
        if (!found || found.mtimeMs >= activeSince) continue;
        await rm(file, { force: true });
        removed += 1;
      }
    return removed;
  }

  async #write(
    handle: FileHandle,
    size: number,
    body: AsyncIterable<Uint8Array>,
    onBytes: (bytes: number) => void,
  ): Promise<number> {
    const { maxBytes } = this.#deps;
    let total = size;
    for await (const chunk of body) {
      total += chunk.byteLength;
      if (total > maxBytes)
        throw new RegistryError("SIZE_INVALID", `the blob is larger than ${maxBytes} bytes (registry.max_layer_size)`);
      onBytes(chunk.byteLength);
      await handle.appendFile(chunk).catch((error: unknown) => {
        throw diskError(error);
      });
    }
    return total;
  }

  /** Runs `work` on the file of the upload, which no other request finds until then. */
  async #working<T>(upload: UploadRef, work: (file: string) => Promise<T>): Promise<T> {
    const [waiting, file] = [this.#waiting(upload), join(this.#deps.writing, nameOf(upload))];
    const isTaken = await unlessMissing(rename(waiting, file).then(() => true));
    if (!isTaken) throw new RegistryError("BLOB_UPLOAD_UNKNOWN", "there is no such upload, or another request adds to it");
    try {
      return await work(file);
    } finally {
      await unlessMissing(rename(file, waiting));
    }
  }

  #waiting(upload: UploadRef): string {
    return join(this.#deps.waiting, nameOf(upload));
  }

  async #names(): Promise<readonly string[]> {
    return [...(await namesIn(this.#deps.waiting)), ...(await namesIn(this.#deps.writing))];
  }
}

async function syncedDigest(file: string): Promise<string> {
  const handle = await open(file, "r+");
  try {
    await handle.sync();
    const hash = createHash("sha256");
    for await (const chunk of handle.createReadStream({ autoClose: false, highWaterMark: hashChunkBytes, start: 0 }))
      hash.update(chunk as Buffer);
    return `sha256:${hash.digest("hex")}`;
  } catch (error) {
    throw diskError(error);
  } finally {
    await handle.close();
  }
}

function nameOf({ id, owner, app }: UploadRef): string {
  return `${id}.${ownerKey(owner)}.${app}`;
}

/** Ids of users may have any character. */
function ownerKey(owner: string): string {
  return createHash("sha256").update(owner).digest("hex").slice(0, 32);
}

/** Neither the id nor the key of the account has a dot. */
function appOf(name: string): string {
  return name.split(".").slice(2).join(".");
}
