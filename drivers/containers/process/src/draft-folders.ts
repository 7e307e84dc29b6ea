import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isAlive, ownIdentity } from "@appserver/kernel/files";

/** Folders for work that takes long. Each is named after its process, so that what a kill leaves is found and removed. */
export class DraftFolders {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Calls `work` with a new folder, which is removed afterwards if it is still there. */
  async use<T>(work: (folder: string) => Promise<T>): Promise<T> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    await this.#removeAbandoned();
    const { pid, startTime } = ownIdentity();
    const folder = join(this.#root, `${pid}-${Buffer.from(startTime).toString("hex")}-${randomUUID()}`);
    await mkdir(folder, { mode: 0o700 });
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #removeAbandoned(): Promise<void> {
    for (const name of await readdir(this.#root)) {
      const [, pid, startTime = ""] = /^(\d+)-([0-9a-f]*)-/.exec(name) ?? [];
      const isInUse = pid !== undefined && isAlive({ pid: Number(pid), startTime: Buffer.from(startTime, "hex").toString() });
      if (!isInUse) await rm(join(this.#root, name), { recursive: true, force: true });
    }
  }
}
