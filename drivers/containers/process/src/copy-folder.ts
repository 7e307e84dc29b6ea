import { createHash, type Hash } from "node:crypto";
import { createWriteStream, type Stats } from "node:fs";
import { lstat, mkdir, open, readdir, readlink, symlink } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isLeftOutOfImages } from "@appserver/contracts/folder-images";

export interface CopyOptions {
  /** Where to copy the contents. Undefined: they are only hashed. */
  readonly into?: string;
  /** Folders in it that are neither hashed nor copied, relative to it. */
  readonly leftOut?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface FolderContents {
  /** SHA-256 over paths, file contents, executable bits and link targets, in hex. */
  readonly hash: string;
  /** The `node_modules` in the folder, relative to it. They are neither hashed nor copied. */
  readonly modules: readonly string[];
}

/**
 * Hashes a folder, and copies it if `into` is given. The hash is then that of the copy, even if files change during the call.
 * Omits `.git`, `key.pem` (the publisher's private key), virtual environments and compiled modules of Python, and entries that are not files, folders or links. Links stay links. Reads in pieces, so that large folders do not
 * block the process. Rejects with ENOENT if the folder is missing.
 */
export async function copyFolder(folder: string, options: CopyOptions = {}): Promise<FolderContents> {
  const copy = new FolderCopy(folder, options);
  await copy.folder("");
  return { hash: copy.hash.digest("hex"), modules: copy.modules };
}

class FolderCopy {
  readonly hash: Hash = createHash("sha256");
  readonly modules: string[] = [];
  readonly #source: string;
  readonly #into: string | undefined;
  readonly #leftOut: ReadonlySet<string>;
  readonly #signal: AbortSignal | undefined;

  constructor(source: string, { into, leftOut = [], signal }: CopyOptions) {
    this.#source = source;
    this.#into = into;
    this.#leftOut = new Set(leftOut);
    this.#signal = signal;
  }

  async folder(path: string): Promise<void> {
    this.#signal?.throwIfAborted();
    const names = await unlessVanished(readdir(join(this.#source, path)), path);
    if (!names) return;
    if (this.#into !== undefined) await mkdir(join(this.#into, path), { recursive: true });
    for (const name of names.sort()) {
      if (name === "node_modules") this.modules.push(join(path, name));
      else if (!isLeftOutOfImages(name) && !this.#leftOut.has(join(path, name))) await this.#entry(join(path, name));
    }
  }

  async #entry(path: string): Promise<void> {
    const stats = await unlessVanished(lstat(join(this.#source, path)), path);
    if (!stats) return;
    if (stats.isDirectory()) await this.folder(path);
    else if (stats.isSymbolicLink()) await this.#link(path);
    else if (stats.isFile()) await this.#file(path, stats);
  }

  async #link(path: string): Promise<void> {
    const target = await unlessVanished(readlink(join(this.#source, path)), path);
    if (target === undefined) return;
    this.#add("link", path, target);
    if (this.#into !== undefined) await symlink(this.#targetOfCopy(path, target), join(this.#into, path));
  }

  /** A relative link out of the folder would lead elsewhere from the copy. */
  #targetOfCopy(path: string, target: string): string {
    const absolute = resolve(dirname(join(this.#source, path)), target);
    const [first] = relative(this.#source, absolute).split(sep);
    return !isAbsolute(target) && first === ".." ? absolute : target;
  }

  async #file(path: string, { mode }: Stats): Promise<void> {
    const source = await unlessVanished(open(join(this.#source, path)), path);
    if (!source) return;
    const contents = createHash("sha256");
    const copy = this.#into === undefined ? undefined : createWriteStream(join(this.#into, path), { mode: mode & 0o777 });
    const read = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        contents.update(chunk);
        yield chunk;
      }
    };
    const pieces = source.createReadStream({ highWaterMark: pieceBytes });
    await pipeline(pieces, read, copy ?? nowhere(), { ...(this.#signal ? { signal: this.#signal } : {}) });
    this.#add((mode & 0o100) === 0 ? "file" : "program", path, contents.digest("hex"));
  }

  #add(...entry: readonly [kind: string, path: string, contents: string]): void {
    this.hash.update(JSON.stringify(entry));
  }
}

const pieceBytes = 256 * 1024;

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** Resolves with undefined for an entry that was removed after its folder was listed. The root must exist. */
async function unlessVanished<T>(reading: Promise<T>, path: string): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (path !== "" && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
