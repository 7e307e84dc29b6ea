import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, realpath, symlink } from "node:fs/promises";
import { join, posix, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import {
  type ArchiveEntry,
  ArchiveError,
  type ArchiveLimits,
  folderInLayer,
  readTar,
} from "@appserver/contracts/folder-images";

export interface LayerUnpacking {
  /** The layer: a compressed archive. */
  readonly file: string;
  /** Gets the folder of the app. It must not exist. */
  readonly into: string;
  readonly signal: AbortSignal;
  /** Default: those of all images of folders. */
  readonly limits?: ArchiveLimits;
}

/**
 * Unpacks the folder of an app. Nothing is written outside of `into`, and no link in it leads out. Leaves what was unpacked if it rejects:
 * with {@link ArchiveError} for an archive that it refuses, with the reason of `signal` if that aborts.
 */
export async function unpackLayer({ file, into, signal, limits }: LayerUnpacking): Promise<void> {
  const folder = new UnpackedFolder(into, signal);
  const read = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
    await readTar(chunks, (entry, contents) => folder.add(entry, contents), limits);
  };
  await mkdir(into, { mode: 0o700 });
  try {
    await pipeline(createReadStream(file), createGunzip(), read, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw isDamaged(error) ? new ArchiveError("it is not compressed with gzip, or damaged", { cause: error }) : error;
  }
  await folder.link();
}

function isDamaged(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code?.startsWith("Z_") === true;
}

class UnpackedFolder {
  readonly #root: string;
  readonly #signal: AbortSignal;
  /** Folders that were made here. Only in them anything is written. */
  readonly #folders: Set<string> = new Set([""]);
  readonly #links = new Map<string, string>();

  constructor(root: string, signal: AbortSignal) {
    this.#root = root;
    this.#signal = signal;
  }

  async add({ path: whole, kind, isProgram, target }: ArchiveEntry, contents: AsyncIterable<Uint8Array>): Promise<void> {
    if (whole === folderInLayer && kind === "folder") return;
    if (!whole.startsWith(`${folderInLayer}/`))
      throw new ArchiveError(`${JSON.stringify(whole)} is outside of ${folderInLayer}/, the folder of the app`);
    const path = whole.slice(folderInLayer.length + 1);
    await this.#make(parentOf(path));
    if (kind === "folder") await this.#make(path);
    else if (kind === "file") await this.#write(path, isProgram, contents);
    else this.#keep(path, target);
  }

  /** Links are made when all files are written, so that none of these is written through a link. */
  async link(): Promise<void> {
    for (const [path, target] of this.#links) {
      this.#signal.throwIfAborted();
      await this.#unlessThere(path, () => symlink(target, join(this.#root, path)));
    }
    const root = await realpath(this.#root);
    for (const path of this.#links.keys()) {
      this.#signal.throwIfAborted();
      // A link over other links may lead elsewhere than its text says.
      const real = await realpath(join(this.#root, path)).catch(() => undefined);
      if (real === undefined) throw new ArchiveError(`the link ${JSON.stringify(path)} leads nowhere`);
      if (real !== root && !real.startsWith(root + sep)) throw leadsOut(path);
    }
  }

  async #make(path: string): Promise<void> {
    if (this.#folders.has(path)) return;
    await this.#make(parentOf(path));
    await this.#unlessThere(path, () => mkdir(join(this.#root, path), { mode: 0o755 }));
    this.#folders.add(path);
  }

  async #write(path: string, isProgram: boolean, contents: AsyncIterable<Uint8Array>): Promise<void> {
    // `wx` follows no link and replaces nothing.
    const file = createWriteStream(join(this.#root, path), { flags: "wx", mode: isProgram ? 0o755 : 0o644 });
    await this.#unlessThere(path, () =>
      pipeline(Readable.from(contents, { objectMode: false }), file, { signal: this.#signal }),
    );
  }

  #keep(path: string, target: string): void {
    const led = posix.join(posix.dirname(path), target);
    if (target === "" || posix.isAbsolute(target) || led === ".." || led.startsWith("../")) throw leadsOut(path);
    if (this.#links.has(path)) throw twice(path);
    this.#links.set(path, target);
  }

  async #unlessThere(path: string, make: () => Promise<unknown>): Promise<void> {
    try {
      await make();
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === "EEXIST" ? twice(path) : error;
    }
  }
}

/** Empty for the folder of the app. */
function parentOf(path: string): string {
  const parent = posix.dirname(path);
  return parent === "." ? "" : parent;
}

function leadsOut(path: string): ArchiveError {
  return new ArchiveError(`the link ${JSON.stringify(path)} leads out of the app's folder`);
}

function twice(path: string): ArchiveError {
  return new ArchiveError(`${JSON.stringify(path)} is there twice`);
}
