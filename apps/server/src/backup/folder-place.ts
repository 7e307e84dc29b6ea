import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { syncFolder } from "@appserver/kernel/files";
import { type BackupPlace, isBackupName, type StoredBackup } from "./place.ts";

const unfinished = ".part";

/** Backups as files of one folder. A file under its own name is always complete. */
export class FolderPlace implements BackupPlace {
  readonly #folder: string;

  constructor(folder: string) {
    // Records have the whole address.
    this.#folder = resolve(folder);
  }

  locationOf(name: string): string {
    return join(this.#folder, name);
  }

  async write(name: string, contents: AsyncIterable<Uint8Array>): Promise<number> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = this.locationOf(name + unfinished);
    await this.#removeUnfinished(name);
    try {
      const bytes = await writeSynced(draft, contents);
      await rename(draft, this.locationOf(name));
      await syncFolder(this.#folder);
      return bytes;
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /** Removes what killed processes have left: one process at a time makes backups. */
  async #removeUnfinished(name: string): Promise<void> {
    for (const found of await readdir(this.#folder)) {
      const whole = found.slice(0, -unfinished.length);
      if (found.endsWith(unfinished) && (whole === name || isBackupName(whole))) await this.remove(found);
    }
  }

  read(name: string): AsyncIterable<Uint8Array> {
    return createReadStream(this.locationOf(name), { highWaterMark: 1 << 20 });
  }

  async list(): Promise<readonly StoredBackup[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    const found: StoredBackup[] = [];
    for (const name of names.filter((each) => isBackupName(each)).sort()) {
      const { size: bytes } = await stat(this.locationOf(name));
      found.push({ name, bytes });
    }
    return found;
  }

  async remove(name: string): Promise<void> {
    await rm(this.locationOf(name), { force: true });
  }
}

/** Returns the number of bytes, which are on the disk. */
async function writeSynced(file: string, contents: AsyncIterable<Uint8Array>): Promise<number> {
  const handle = await open(file, "wx", 0o600);
  try {
    let bytes = 0;
    for await (const chunk of contents) {
      for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
      bytes += chunk.length;
    }
    await handle.sync();
    return bytes;
  } finally {
    await handle.close();
  }
}
