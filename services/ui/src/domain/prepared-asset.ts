import { entityTag, subresourceIntegrity } from "@appserver/contracts/assets";
import { isActiveDocument } from "@appserver/kernel";
import { isCompressible, servedMediaType } from "./media-type.ts";
import type { Coding, StoredAsset } from "./stored-asset.ts";

/** The bytes of one coding, with their entity tag. */
export interface Representation {
  readonly coding: Coding | undefined;
  readonly etag: string;
  readonly bytes: Uint8Array;
}

/** A verified asset with everything computed that does not depend on the request. */
export class PreparedAsset {
  readonly appName: string;
  readonly appId: string;
  /** Set if it was read for one release, see {@link StoredAsset}. */
  readonly release: string | undefined;
  /** See {@link StoredAsset}. */
  readonly isFormer: boolean;
  readonly name: string;
  readonly sha256: string;
  readonly integrity: string;
  readonly mediaType: string;
  readonly compressible: boolean;
  /** Whether a browser may run script from it when it is opened as a page. */
  readonly isActive: boolean;
  readonly identity: Representation;
  /** The compressed forms so far. A value of undefined: compression did not reduce the size. */
  readonly #compressed = new Map<Coding, Representation | undefined>();

  constructor(asset: StoredAsset) {
    this.appName = asset.appName;
    this.appId = asset.appId;
    this.release = asset.release;
    this.isFormer = asset.isFormer ?? false;
    this.name = asset.name;
    this.sha256 = asset.sha256;
    this.integrity = subresourceIntegrity(asset.sha256);
    this.mediaType = servedMediaType(asset.mimeType);
    this.compressible = isCompressible(this.mediaType);
    this.isActive = isActiveDocument(this.mediaType);
    this.identity = { coding: undefined, etag: entityTag(asset.sha256), bytes: asset.contents };
  }

  hasTried(coding: Coding): boolean {
    return this.#compressed.has(coding);
  }

  /** Returns the bytes to send for a coding: the compressed bytes if they are smaller. */
  representation(coding: Coding | undefined): Representation {
    return (coding && this.#compressed.get(coding)) ?? this.identity;
  }

  /** Stores compressed bytes if they are smaller than the original. */
  addCompressed(coding: Coding, bytes: Uint8Array): void {
    const smaller = bytes.length < this.identity.bytes.length;
    this.#compressed.set(coding, smaller ? { coding, etag: entityTag(this.sha256, coding), bytes } : undefined);
  }

  /** The number of bytes in memory, never 0. */
  get size(): number {
    let total = this.identity.bytes.length + 1024;
    for (const representation of this.#compressed.values()) total += representation?.bytes.length ?? 0;
    return total;
  }
}
