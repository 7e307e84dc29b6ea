import { folderImageLimits } from "./folder-image.ts";

/** An entry of an archive. Its path is relative, without `.`, `..` and empty parts. */
export interface ArchiveEntry {
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly isProgram: boolean;
  /** Where a link leads, as the archive has it. Empty for the others. */
  readonly target: string;
}

export interface ArchiveLimits {
  readonly unpackedBytes: number;
  readonly entries: number;
  readonly pathBytes: number;
}

/** The archive is damaged, too large, or has what no folder of an app needs. The text says what, and where. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
}

/** Receives each entry with its bytes, which it must read to their end. */
export type TakeEntry = (entry: ArchiveEntry, contents: AsyncIterable<Uint8Array>) => Promise<void>;

const block = 512;
/** A path and the target of a link, with room for other records. */
const maxExtensionBytes = 16 * 1024;

/**
 * Reads a POSIX archive (ustar, and pax for long paths) to its end, as `tar` writes it. Holds one
 * chunk in memory. Everything else is refused: hard links, devices, pipes, sparse files, paths that lead out of the archive's folder.
 * Rejects with {@link ArchiveError}.
 */
export async function readTar(
  chunks: AsyncIterable<Uint8Array>,
  take: TakeEntry,
  limits: ArchiveLimits = folderImageLimits,
): Promise<void> {
  const bytes = new ArchiveBytes(chunks, limits.unpackedBytes);
  let extension: Extension = {};
  for (let count = 0; ; ) {
    const header = await bytes.read(block);
    if (header.every((byte) => byte === 0)) break;
    count += 1;
    if (count > limits.entries) throw new ArchiveError(`it has more than ${limits.entries} entries`);
    const { type, size } = fieldsOf(header);
    if (type === "x") {
      extension = extensionOf(await bytes.readPadded(size, maxExtensionBytes));
      continue;
    }
    const entry = entryOf(header, type, extension, limits);
    extension = {};
    if (entry.kind !== "file" && size > 0) throw new ArchiveError(`${entry.path} is a ${entry.kind} with contents`);
    const contents = bytes.contents(size);
    await take(entry, contents);
    await bytes.skipPadding(size);
  }
  await bytes.readToEnd();
}

/** The bytes of an archive, in the pieces that its format has. */
class ArchiveBytes {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #maxBytes: number;
  #chunk: Uint8Array = new Uint8Array();
  #count = 0;

  constructor(chunks: AsyncIterable<Uint8Array>, maxBytes: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#maxBytes = maxBytes;
  }

  /** Returns exactly this many bytes. For small numbers. */
  async read(size: number): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.contents(size)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async readPadded(size: number, max: number): Promise<Buffer> {
    if (size > max) throw new ArchiveError(`an extended header has ${size} bytes; at most ${max} are expected`);
    const bytes = await this.read(size);
    await this.skipPadding(size);
    return bytes;
  }

  async *contents(size: number): AsyncGenerator<Uint8Array> {
    if (size > this.#maxBytes - this.#count) throw this.#tooLarge();
    for (let left = size; left > 0; ) {
      const piece = await this.#next(left);
      if (!piece) throw new ArchiveError("it ends early");
      left -= piece.length;
      yield piece;
    }
  }

  async skipPadding(size: number): Promise<void> {
    await this.read((block - (size % block)) % block);
  }

  /** The end of an archive may be longer than it needs to be. */
  async readToEnd(): Promise<void> {
    while (await this.#next(Number.POSITIVE_INFINITY));
  }

  async #next(max: number): Promise<Uint8Array | undefined> {
    while (this.#chunk.length === 0) {
      const { value, done } = await this.#chunks.next();
      if (done) return undefined;
      this.#chunk = value;
      this.#count += value.length;
      if (this.#count > this.#maxBytes) throw this.#tooLarge();
    }
    const piece = this.#chunk.subarray(0, max);
    this.#chunk = this.#chunk.subarray(piece.length);
    return piece;
  }

  #tooLarge(): ArchiveError {
    return new ArchiveError(`it has more than ${this.#maxBytes} bytes when it is unpacked`);
  }
}

interface Extension {
  readonly path?: string;
  readonly linkpath?: string;
}

function fieldsOf(header: Buffer): { readonly type: string; readonly size: number } {
  if (header.toString("latin1", 257, 262) !== "ustar") throw new ArchiveError("it is no POSIX archive (ustar)");
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (octalAt(header, 148, 8) !== sum) throw new ArchiveError("the checksum of a header is wrong");
  return { type: header.toString("latin1", 156, 157), size: octalAt(header, 124, 12) };
}

function entryOf(
  header: Buffer,
  type: string,
  { path: long, linkpath }: Extension,
  { pathBytes }: Pick<ArchiveLimits, "pathBytes">,
): ArchiveEntry {
  const [prefix, name] = [textAt(header, 345, 155), textAt(header, 0, 100)];
  const given = long ?? (prefix === "" ? name : `${prefix}/${name}`);
  const kind = kinds[type];
  const shown = JSON.stringify(given.slice(0, 200));
  if (!kind)
    throw new ArchiveError(
      `${shown} is ${refused[type] ?? `an entry of the type ${JSON.stringify(type)}`}; expected are files, folders and symbolic links`,
    );
  const path = kind === "folder" ? given.replace(/\/$/, "") : given;
  const parts = path.split("/");
  const target = kind === "link" ? (linkpath ?? textAt(header, 157, 100)) : "";
  if (parts.some((part) => part === "" || part === "." || part === "..") || `${path}${target}`.includes("\0"))
    throw new ArchiveError(`${shown} leads out of the folder of the archive, or is no plain path`);
  if (Buffer.byteLength(path) > pathBytes || Buffer.byteLength(target) > pathBytes)
    throw new ArchiveError(`${shown} has a path of more than ${pathBytes} bytes`);
  if (parts.some((part) => Buffer.byteLength(part) > 255)) throw new ArchiveError(`${shown} has a name of more than 255 bytes`);
  return { path, kind, isProgram: (octalAt(header, 100, 8) & 0o100) !== 0, target };
}

const kinds: Readonly<Record<string, ArchiveEntry["kind"]>> = { "0": "file", "\0": "file", "5": "folder", "2": "link" };
const refused: Readonly<Record<string, string>> = { "1": "a hard link", "3": "a device", "4": "a device", "6": "a pipe" };

/** Reads records of the form `<length> <key>=<value>\n`. */
function extensionOf(bytes: Buffer): Extension {
  const found: { path?: string; linkpath?: string } = {};
  for (let rest = bytes; rest.length > 0; ) {
    const [, digits = "", key = ""] = /^(\d{1,6}) ([A-Za-z0-9_.]{1,100})=/.exec(rest.toString("latin1", 0, 128)) ?? [];
    const length = Number(digits);
    const start = digits.length + key.length + 2;
    if (digits === "" || length <= start || length > rest.length || rest[length - 1] !== 0x0a)
      throw new ArchiveError("an extended header is damaged");
    const value = rest.toString("utf8", start, length - 1);
    if (key === "path" || key === "linkpath") found[key] = value;
    else if (key === "size" || key.startsWith("GNU.sparse"))
      throw new ArchiveError(`an extended header has ${key}, which is not expected`);
    rest = rest.subarray(length);
  }
  return found;
}

function textAt(header: Buffer, at: number, width: number): string {
  const end = header.indexOf(0, at);
  return header.toString("utf8", at, end === -1 || end > at + width ? at + width : end);
}

function octalAt(header: Buffer, at: number, width: number): number {
  const text = header.toString("latin1", at, at + width).replace(/[\0 ]+$/, "");
  if (!/^ *[0-7]{0,11}$/.test(text)) throw new ArchiveError("a number in a header is not octal");
  return Number.parseInt(text.trim() || "0", 8);
}
