import { createReadStream, statSync } from "node:fs";

/** An entry of an archive. Times are constant, so the same contents give the same bytes. */
export type TarEntry = {
  readonly path: string;
  readonly mode?: number;
  /** Numeric ids of 32 bits. Default: root. */
  readonly owner?: { readonly uid: number; readonly gid: number };
} & (
  | { readonly kind: "folder" }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "file"; readonly contents: Uint8Array | string }
  /** A file of this machine. It is streamed. */
  | { readonly kind: "copy"; readonly source: string }
);

const block = 512;
const typeFlags = { file: "0", copy: "0", link: "2", folder: "5" } as const;

/** Yields a POSIX archive in chunks: ustar, and pax for paths that do not fit into it. Paths have no leading slash. */
export async function* tar(entries: Iterable<TarEntry> | AsyncIterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for await (const given of entries) {
    const { entry, records } = fitted(given);
    if (records.length > 0) yield* extension(records);
    const contents = entry.kind === "file" ? Buffer.from(entry.contents) : undefined;
    const size = entry.kind === "copy" ? statSync(entry.source).size : (contents?.length ?? 0);
    yield header(entry, size, typeFlags[entry.kind]);
    if (contents) yield contents;
    if (entry.kind === "copy") yield* fileOf(entry, size);
    yield padding(size);
  }
  yield Buffer.alloc(2 * block);
}

/** The header has the size already, so a file that changes its size now would move all that follows. */
async function* fileOf({ path, source }: { path: string; source: string }, size: number): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const chunk of createReadStream(source, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    sent += chunk.length;
    if (sent > size) break;
    yield chunk;
  }
  if (sent !== size) throw new Error(`a file changed while it was packed: ${path}`);
}

function padding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block);
}

/** Returns the entry with texts that fit into a header, and the records of pax that have the whole ones. */
function fitted(entry: TarEntry): { readonly entry: TarEntry; readonly records: readonly string[] } {
  const records: string[] = [];
  let { path } = entry;
  // A folder's path gets a slash.
  if (!splitPath(`${path}/`)) {
    records.push(paxRecord("path", entry.kind === "folder" ? `${path}/` : path));
    path = "pax";
  }
  if (entry.kind !== "link" || Buffer.byteLength(entry.target) <= 100) return { entry: { ...entry, path }, records };
  records.push(paxRecord("linkpath", entry.target));
  return { entry: { ...entry, path, target: "pax" }, records };
}

function* extension(records: readonly string[]): Generator<Uint8Array> {
  const bytes = Buffer.from(records.join(""));
  yield header({ kind: "file", path: "pax", contents: "" }, bytes.length, "x");
  yield bytes;
  yield padding(bytes.length);
}

/** The length counts itself. */
function paxRecord(key: string, value: string): string {
  const bytes = Buffer.byteLength(` ${key}=${value}\n`);
  let length = bytes + String(bytes).length;
  if (bytes + String(length).length > length) length += 1;
  return `${length} ${key}=${value}\n`;
}

function header(entry: TarEntry, size: number, type: string): Buffer {
  const bytes = Buffer.alloc(block);
  const path = entry.kind === "folder" ? `${entry.path}/` : entry.path;
  const [prefix, name] = splitPath(path) ?? ["", path];
  const octal = (value: number, at: number, width: number): void => {
    const digits = value.toString(8);
    if (digits.length < width) bytes.write(digits.padStart(width - 1, "0"), at, "ascii");
    else {
      // Larger numbers are binary, as in GNU tar.
      bytes.writeUInt32BE(value, at + width - 4);
      bytes[at] = 0x80;
    }
  };
  bytes.write(name, 0);
  octal(entry.mode ?? (entry.kind === "folder" ? 0o755 : 0o644), 100, 8);
  octal(entry.owner?.uid ?? 0, 108, 8);
  octal(entry.owner?.gid ?? 0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  // The checksum is computed with spaces in its own field.
  bytes.fill(" ", 148, 156);
  bytes.write(type, 156);
  if (entry.kind === "link") bytes.write(entry.target, 157);
  bytes.write("ustar\0", 257);
  bytes.write("00", 263);
  bytes.write(prefix, 345);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "ascii");
  return bytes;
}

/** Splits a path at a slash into a prefix of at most 155 bytes and a name of at most 100 bytes. Undefined if none is there. */
function splitPath(path: string): [prefix: string, name: string] | undefined {
  if (Buffer.byteLength(path) <= 100) return ["", path];
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    const [prefix, name] = [path.slice(0, slash), path.slice(slash + 1)];
    if (name !== "" && Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return [prefix, name];
  }
  return undefined;
}
