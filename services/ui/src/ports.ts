import type { MaybePromise } from "@appserver/kernel";
import type { Coding, StoredAsset } from "./domain/stored-asset.ts";

export type { Coding, StoredAsset } from "./domain/stored-asset.ts";

/** An app as a URL names it. */
export type AppRef = { readonly name: string } | { readonly id: string };

/** Where assets come from. `compose.ts` plugs the marketplace in. */
export interface AssetStore {
  /**
   * The asset of the version that the app serves now; undefined when the app is unknown, serves nothing, or has no such
   * asset. Rejects when the store cannot be asked.
   */
  find(app: AppRef, assetName: string): Promise<StoredAsset | undefined>;
}

/** Which apps' pages may act as pages of the platform itself. */
export interface OriginRights {
  /** Whether the app holds the permission `page:origin`. Never rejects: what cannot be found out is false. */
  mayActForOrigin(app: { readonly name: string; readonly id: string }): MaybePromise<boolean>;
}

/** Compresses whole files, away from the event loop. */
export interface Compressor {
  readonly codings: readonly Coding[];
  /** Rejects only when memory fails. */
  compress(coding: Coding, contents: Uint8Array): Promise<Uint8Array>;
}

/** An asset whose stored bytes do not match their hash, to be counted and audited (docs/interface/assets.md#corrupt-assets). */
export interface CorruptAsset {
  readonly appName: string;
  readonly appId: string;
  /** Version of the app. */
  readonly version: string;
  readonly assetName: string;
  readonly expectedSha256: string;
  readonly actualSha256: string;
}
