import { entityTag, subresourceIntegrity } from "@appserver/contracts/assets";
import { isActiveDocument } from "@appserver/kernel";
import { isCompressible, servedMediaType } from "./media-type.ts";
import type { Coding, StoredAsset } from "./stored-asset.ts";

/** How caches may keep a response, and whether its page is confined. */
export interface ResponsePolicy {
  readonly cacheControl: string;
  readonly isSandboxed: boolean;
}

/** Names in lower case. */
export type AssetHeaders = Readonly<Record<string, string>>;

/** The bytes of one coding, with their entity tag. */
export class Representation {
  readonly coding: Coding | undefined;
  readonly etag: string;
  readonly bytes: Uint8Array;
  readonly #fixed: AssetHeaders;
  readonly #byPolicy = new Map<string, AssetHeaders>();

  constructor({ mediaType, integrity, sha256 }: AssetFacts, coding: Coding | undefined, bytes: Uint8Array) {
    this.coding = coding;
    this.etag = entityTag(sha256, coding);
    this.bytes = bytes;
    this.#fixed = {
      "content-type": mediaType,
      "x-subresource-integrity": integrity,
      etag: this.etag,
      vary: "Accept-Encoding",
      "accept-ranges": "bytes",
      "x-content-type-options": "nosniff",
      // Assets are public, and a sandboxed page of the app has another origin.
      "cross-origin-resource-policy": "cross-origin",
      ...(coding && { "content-encoding": coding }),
    };
  }

  /** Returns the headers of a response without its length. They are the same object for the same policy. */
  headers({ cacheControl, isSandboxed }: ResponsePolicy): AssetHeaders {
    const key = isSandboxed ? `sandboxed ${cacheControl}` : cacheControl;
    let headers = this.#byPolicy.get(key);
    if (!headers) {
      const policy = { "cache-control": cacheControl, ...(isSandboxed && { "content-security-policy": "sandbox" }) };
      headers = { ...this.#fixed, ...policy };
      this.#byPolicy.set(key, headers);
    }
    return headers;
  }
}

type AssetFacts = Pick<PreparedAsset, "mediaType" | "integrity" | "sha256">;

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
    this.identity = new Representation(this, undefined, asset.contents);
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
    this.#compressed.set(coding, smaller ? new Representation(this, coding, bytes) : undefined);
  }

  /** The number of bytes in memory, never 0. */
  get size(): number {
    let total = this.identity.bytes.length + 1024;
    for (const representation of this.#compressed.values()) total += representation?.bytes.length ?? 0;
    return total;
  }
}
