import type { Readable } from "node:stream";
import { messageOf } from "@appserver/kernel";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { BackupError } from "./backup-error.ts";
import { type BackupPlace, isBackupName, type StoredBackup } from "./place.ts";

export interface S3Options {
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Undefined: those of the environment of Amazon. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

/** A part has at least this many bytes. Two of them are in memory. */
const partBytes = 16 << 20;
/** An object has 10,000 parts at most. */
const maxObjectBytes = 10_000 * partBytes;

/** Backups as objects of a bucket. An object appears when all its parts have arrived. */
export class S3Place implements BackupPlace {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  /** `address`: `s3://bucket/prefix`. Throws {@link BackupError} for another one. */
  constructor(address: string, { endpoint, region, credentials }: S3Options) {
    const [, bucket, prefix = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(?:\/(.*))?$/.exec(address) ?? [];
    if (bucket === undefined) throw new BackupError(`${JSON.stringify(address)} is no place: expected s3://<bucket>/<prefix>.`);
    this.#bucket = bucket;
    this.#prefix = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
    this.#client = new S3Client({
      region,
      ...(credentials && { credentials }),
      // Other servers than that of Amazon have no names for each bucket.
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    });
  }

  locationOf(name: string): string {
    return `s3://${this.#bucket}/${this.#prefix}${name}`;
  }

  async write(name: string, contents: AsyncIterable<Uint8Array>): Promise<number> {
    let bytes = 0;
    let problem: unknown;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      try {
        for await (const chunk of contents) {
          bytes += chunk.length;
          if (bytes > maxObjectBytes) throw new BackupError(`an object has at most ${maxObjectBytes} bytes`);
          yield chunk;
        }
      } catch (error) {
        problem = error;
        throw error;
      }
    };
    const params = { ...this.#object(name), Body: ReadableStream.from(counted()) };
    const upload = new Upload({ client: this.#client, params, partSize: partBytes, queueSize: 2 });
    try {
      await this.#named(name, () => upload.done());
      return bytes;
    } catch (error) {
      // Why the upload was given up, and not what became of its parts.
      throw problem ?? error;
    }
  }

  async *read(name: string): AsyncGenerator<Uint8Array> {
    const { Body } = await this.#named(name, () => this.#client.send(new GetObjectCommand(this.#object(name))));
    yield* Body as Readable;
  }

  async list(): Promise<readonly StoredBackup[]> {
    const found: StoredBackup[] = [];
    for (let ContinuationToken: string | undefined, more = true; more; ) {
      const page: ListObjectsV2CommandOutput = await this.#named("", () =>
        this.#client.send(new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#prefix, ContinuationToken })),
      );
      for (const { Key = "", Size = 0 } of page.Contents ?? []) {
        const name = Key.slice(this.#prefix.length);
        if (isBackupName(name)) found.push({ name, bytes: Size });
      }
      ContinuationToken = page.NextContinuationToken;
      more = ContinuationToken !== undefined;
    }
    return found.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  async remove(name: string): Promise<void> {
    await this.#named(name, () => this.#client.send(new DeleteObjectCommand(this.#object(name))));
  }

  #object(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${name}` };
  }

  /** Errors name the address. */
  async #named<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof BackupError ? error : new BackupError(`${this.locationOf(name)}: ${messageOf(error)}`);
    }
  }
}
