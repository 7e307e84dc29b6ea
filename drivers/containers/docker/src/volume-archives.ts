import { ContainerError, type StorageOwner, storageArchiveFolder } from "@appserver/kernel/ports";
import type { AppVolumes } from "./app-volumes.ts";
import { containerError } from "./container-error.ts";
import type { EngineClient } from "./engine-client.ts";
import { archiveHelperName, emptyImage, helperFolder, withHelper } from "./volume-helper.ts";
import { volumeName } from "./volume-mounts.ts";

/** Where a helper has the volume that is read or written. */
export const archivePath = `/${helperFolder}/${storageArchiveFolder}`;

/** Reads and writes the volumes of apps as archives. */
export class VolumeArchives {
  readonly #engine: EngineClient;
  readonly #volumes: AppVolumes;

  constructor(engine: EngineClient, volumes: AppVolumes) {
    this.#engine = engine;
    this.#volumes = volumes;
  }

  async *read(owner: StorageOwner, name: string): AsyncGenerator<Uint8Array> {
    const volume = volumeName(owner, name);
    if (!(await this.#exists(owner, name))) throw new ContainerError("not_found", `there is no volume ${volume}`);
    const chunks = new TransformStream<Uint8Array, Uint8Array>();
    const copying = this.#with(owner, volume, async (path) => {
      const bytes = ReadableStream.from(this.#engine.bytes(`${path}/archive`, { path: archivePath }));
      await bytes.pipeTo(chunks.writable);
    });
    const ended = copying.catch((error: unknown) => chunks.writable.abort(error).catch(() => {}));
    try {
      yield* chunks.readable;
    } finally {
      await ended;
    }
  }

  async write(owner: StorageOwner, name: string, archive: AsyncIterable<Uint8Array>): Promise<void> {
    const volume = volumeName(owner, name);
    if (await this.#exists(owner, name)) throw new ContainerError("name_conflict", `there is a volume ${volume} already`);
    await this.#volumes.create(owner, name);
    await this.#with(owner, volume, async (path) => {
      await this.#engine.request("PUT", `${path}/archive`, {
        query: { path: `/${helperFolder}` },
        headers: { "content-type": "application/x-tar" },
        body: archive,
        timeoutMs: 0,
      });
    });
  }

  async #exists(owner: StorageOwner, name: string): Promise<boolean> {
    return (await this.#volumes.list(owner)).some((storage) => storage.name === name);
  }

  async #with(owner: StorageOwner, volume: string, work: (path: string) => Promise<void>): Promise<void> {
    try {
      const by = { image: await emptyImage(this.#engine), helper: archiveHelperName(owner) };
      await withHelper(this.#engine, by, { [storageArchiveFolder]: volume }, work);
    } catch (error) {
      throw containerError(`the volume ${volume}`, error);
    }
  }
}
