import type { Readable } from "node:stream";
import type { Call, Caller, CredentialedRequest, MaybePromise } from "@appserver/kernel";
import type { ByteRange } from "./domain/byte-range.ts";
import type { Reference } from "./domain/target.ts";

/** Identifies the sender of a request. */
export interface Authenticator {
  /** Returns anonymous for a request without credentials. Throws or rejects with AUTHENTICATION_FAILED or SERVICE_UNAVAILABLE. */
  authenticate(request: CredentialedRequest): MaybePromise<Caller>;
}

/** An upload of a blob. Only the account that began it can continue it. */
export interface UploadRef {
  readonly app: string;
  readonly id: string;
  /** Subject of the account. */
  readonly owner: string;
}

export interface StoredManifest {
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/** A manifest to store. What it refers to is in `blobs` and `manifests`. */
export interface NewManifest extends StoredManifest {
  readonly blobs: readonly string[];
  readonly manifests: readonly string[];
  readonly tag: string | undefined;
}

/**
 * Blobs, manifests and tags of repositories: one for each app, and no other sees them. Several processes may use one store. What is
 * stored is complete and on the disk: a process that is killed leaves nothing behind that another one would serve. Names, digests and
 * ids have passed `parseTarget`. Rejects with `RegistryError`, and with SERVICE_UNAVAILABLE if the disk is full.
 */
export interface ImageStore {
  /** Returns the size of a blob. `marks`: marks it as used now, so that it is kept while its image is pushed. */
  blobSize(app: string, digest: string, marks: boolean): Promise<number | undefined>;
  /** Returns a blob or a part of it. The caller reads the stream to its end or destroys it. */
  readBlob(app: string, digest: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Gives a blob of another repository to this one. Returns false if that one does not have it. */
  mountBlob(from: string, app: string, digest: string): Promise<boolean>;
  readManifest(app: string, reference: Reference): Promise<StoredManifest | undefined>;
  /** Returns whether anything has changed. Rejects with MANIFEST_BLOB_UNKNOWN if something that it refers to is missing. */
  writeManifest(app: string, manifest: NewManifest): Promise<boolean>;
  /** Returns tags in their order, those after `last`. */
  tags(app: string, last: string, limit: number): Promise<readonly string[]>;
  /** Returns the id of a new upload. Rejects with TOOMANYREQUESTS if the account or all accounts have too many. */
  beginUpload(app: string, owner: string): Promise<string>;
  /** Returns how many bytes have arrived. Undefined if there is no such upload, or a request is adding to it. */
  uploadedBytes(upload: UploadRef): Promise<number | undefined>;
  /**
   * Adds bytes and returns how many there are. `start`: what must have arrived before. A body that ends early leaves what has arrived of
   * it. Rejects with BLOB_UPLOAD_UNKNOWN, RANGE_INVALID, SIZE_INVALID or DENIED.
   */
  append(upload: UploadRef, start: number | undefined, body: AsyncIterable<Uint8Array>): Promise<number>;
  /** Makes an upload a blob. Rejects with DIGEST_INVALID, and drops it, if the bytes have another digest. */
  finishUpload(upload: UploadRef, digest: string): Promise<void>;
  /** Returns whether there was such an upload. */
  cancelUpload(upload: UploadRef): Promise<boolean>;
  /**
   * Removes images that are not among the retained digests and were pushed before `keptSince`, blobs of no image that were used before it,
   * and uploads that got nothing since `activeSince`. A push at the same time is not disturbed. Returns the number of removed files.
   */
  removeUnused(unused: UnusedSince, signal: AbortSignal): Promise<number>;
}

export interface UnusedSince {
  /** Digests of images. */
  readonly retained: ReadonlySet<string>;
  /** Milliseconds since the epoch. */
  readonly keptSince: number;
  readonly activeSince: number;
}

export interface ImageLimits {
  readonly maxLayerBytes: number;
  readonly maxAppBytes: number;
  readonly maxTotalBytes: number;
}

/** Counts clients that guess credentials, over all replicas. */
export interface RefusedAttempts {
  /** Counts one. Rejects with RATE_LIMIT_EXCEEDED if there are too many. */
  count(remoteAddress: string): Promise<void>;
}

/** A manifest that was stored, or a tag that was moved to it. */
export interface Push {
  readonly app: string;
  readonly digest: string;
  readonly tag: string | undefined;
}

export interface PushLog {
  record(push: Push, call: Pick<Call, "caller" | "traceparent">): Promise<void>;
}

/** The keys with which the platform seals its secrets. The first one is the newest. */
export interface EncryptionKeys {
  load(): Promise<readonly { readonly key: Uint8Array }[]>;
}
