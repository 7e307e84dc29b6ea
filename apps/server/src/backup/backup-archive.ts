import { createHash, type Hash } from "node:crypto";
import { PassThrough } from "node:stream";
import { ArchiveError, readTar, type TarEntry, tar } from "@appserver/contracts/folder-images";
import type { AppFileManifest } from "./app-file-manifest.ts";
import { BackupError } from "./backup-error.ts";
import { type BackupManifest, parseManifest, streams } from "./manifest.ts";

/** Something in a backup. Its size is not known before its end. */
export interface BackupStream {
  readonly name: string;
  readonly contents: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Reads a stream to its end. */
export type TakeStream = (name: string, contents: AsyncIterable<Uint8Array>) => Promise<void>;

interface StreamSum {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** An entry of an archive has its size in front. So a stream is a folder of parts, each of which fits into memory. */
const partBytes = 4 << 20;
const maxManifestBytes = 16 << 20;
const noLimits = {
  unpackedBytes: Number.POSITIVE_INFINITY,
  entries: Number.POSITIVE_INFINITY,
  pathBytes: 255,
};

/** What an archive begins with. */
type AnyManifest = BackupManifest | AppFileManifest;

/**
 * Yields the archive of a backup: the manifest, the streams, and the sums of all of them. Without these, which come last, it is not
 * complete.
 */
export async function* writeBackupArchive(
  manifest: AnyManifest,
  given: AsyncIterable<BackupStream>,
): AsyncGenerator<Uint8Array> {
  const sums: StreamSum[] = [];
  yield* tar(entriesOf(manifest, given, sums));
}

async function* entriesOf(
  manifest: AnyManifest,
  given: AsyncIterable<BackupStream>,
  sums: StreamSum[],
): AsyncGenerator<TarEntry> {
  const first = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
  sums.push(sumOf(streams.manifest, first.length, createHash("sha256").update(first)));
  yield file(streams.manifest, first);
  for await (const { name, contents } of given) {
    const hash = createHash("sha256");
    let [number, bytes] = [0, 0];
    for await (const part of partsOf(contents)) {
      hash.update(part);
      bytes += part.length;
      yield file(`${name}/${String(number).padStart(8, "0")}`, part);
      number += 1;
    }
    sums.push(sumOf(name, bytes, hash));
  }
  yield file(streams.contents, Buffer.from(`${JSON.stringify({ streams: sums }, undefined, 2)}\n`));
}

function sumOf(name: string, bytes: number, hash: Hash): StreamSum {
  return { name, bytes, sha256: hash.digest("hex") };
}

function file(path: string, contents: Uint8Array): TarEntry {
  return { kind: "file", path, contents, mode: 0o600 };
}

/** Yields at least one part. */
async function* partsOf(contents: BackupStream["contents"]): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let isFirst = true;
  for await (const piece of contents) {
    pieces.push(piece);
    size += piece.length;
    if (size < partBytes) continue;
    yield Buffer.concat(pieces);
    [pieces, size, isFirst] = [[], 0, false];
  }
  if (size > 0 || isFirst) yield Buffer.concat(pieces);
}

/**
 * Reads an archive to its end, and compares every stream with its sum. `take` gets all streams but the manifest, one after another, before
 * their sums are compared. Returns the manifest. Rejects with {@link BackupError} if the archive is damaged, not complete or of a newer
 * version; then what `take` got is worth nothing. `parse`: of the kind that is expected.
 */
export async function readBackupArchive<M extends AnyManifest = BackupManifest>(
  archive: AsyncIterable<Uint8Array>,
  take: TakeStream,
  parse: (text: string) => M = parseManifest as (text: string) => M,
): Promise<M> {
  const reader = new ArchiveReader(take, parse);
  try {
    await readTar(archive, ({ path }, contents) => reader.add(path, contents), noLimits);
    return await reader.end();
  } catch (error) {
    await reader.fail(error);
    throw error instanceof ArchiveError ? new BackupError(`The backup is damaged: ${error.message}.`) : error;
  }
}

/** Joins the parts of streams. */
class ArchiveReader<M extends AnyManifest> {
  readonly #take: TakeStream;
  readonly #parse: (text: string) => M;
  readonly #sums: StreamSum[] = [];
  #manifest: M | undefined;
  #expected: readonly StreamSum[] | undefined;
  #open: OpenStream | undefined;

  constructor(take: TakeStream, parse: (text: string) => M) {
    this.#take = take;
    this.#parse = parse;
  }

  async add(path: string, contents: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.#expected) throw new BackupError("The backup is damaged: something follows its last entry.");
    if (this.#manifest === undefined) await this.#addManifest(path, contents);
    else if (path === streams.contents) {
      await this.#close();
      this.#expected = (JSON.parse((await bytesOf(contents)).toString()) as { readonly streams: readonly StreamSum[] }).streams;
    } else {
      const name = path.slice(0, path.lastIndexOf("/"));
      if (this.#open?.name !== name) {
        await this.#close();
        this.#open = new OpenStream(name, this.#take);
      }
      await this.#open.add(contents);
    }
  }

  async #addManifest(path: string, contents: AsyncIterable<Uint8Array>): Promise<void> {
    if (path !== streams.manifest)
      throw new BackupError("The file is no backup of a platform: it does not begin with a manifest.");
    const bytes = await bytesOf(contents);
    this.#sums.push(sumOf(path, bytes.length, createHash("sha256").update(bytes)));
    this.#manifest = this.#parse(bytes.toString());
  }

  async end(): Promise<M> {
    if (this.#manifest === undefined || this.#expected === undefined)
      throw new BackupError("The backup is not complete: its last entry, the table of contents, is missing.");
    const differs = this.#expected.find(({ name, bytes, sha256 }) => {
      const found = this.#sums.find((sum) => sum.name === name);
      return found?.bytes !== bytes || found.sha256 !== sha256;
    });
    if (differs || this.#expected.length !== this.#sums.length)
      throw new BackupError(`The backup is damaged: ${differs?.name ?? "an entry"} differs from the table of contents.`);
    return this.#manifest;
  }

  async fail(error: unknown): Promise<void> {
    await this.#open?.fail(error);
  }

  async #close(): Promise<void> {
    if (this.#open) this.#sums.push(await this.#open.end());
    this.#open = undefined;
  }
}

async function bytesOf(contents: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of contents) {
    size += piece.length;
    if (size > maxManifestBytes)
      throw new BackupError(`The backup is damaged: an entry has more than ${maxManifestBytes} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Hands the parts of a stream to its taker as they arrive. */
class OpenStream {
  readonly name: string;
  readonly #hash = createHash("sha256");
  readonly #passing = new PassThrough();
  readonly #taken: Promise<void>;
  #bytes = 0;

  constructor(name: string, take: TakeStream) {
    this.name = name;
    // Each write reports the error, too.
    this.#passing.on("error", () => {});
    this.#taken = take(name, this.#passing);
    this.#taken.catch((error: Error) => this.#passing.destroy(error));
  }

  async add(contents: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const piece of contents) {
      this.#hash.update(piece);
      this.#bytes += piece.length;
      await this.#passed((done) => this.#passing.write(piece, done));
    }
  }

  async end(): Promise<StreamSum> {
    await this.#passed((done) => this.#passing.end(done));
    await this.#taken;
    return sumOf(this.name, this.#bytes, this.#hash);
  }

  /** Resolves when the taker has stopped. */
  async fail(error: unknown): Promise<void> {
    this.#passing.destroy(error as Error);
    await this.#taken.catch(() => {});
  }

  /** Rejects with the error of the taker, if it has one. */
  async #passed(pass: (done: (error?: Error | null) => void) => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    pass((error) => (error ? reject(error) : resolve()));
    await promise.catch(async (error: unknown) => {
      await this.#taken;
      throw error;
    });
  }
}
