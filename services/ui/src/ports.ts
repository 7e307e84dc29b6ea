import type { StoredAsset } from "./domain/stored-asset.ts";

export type { Coding, StoredAsset } from "./domain/stored-asset.ts";

/** The app reference in a URL. With the digest of a manifest: that release of the app, while it is kept. */
export type AppRef = { readonly name: string; readonly manifestDigest?: string } | { readonly id: string };

/** The source of assets. The composition connects the marketplace. */
export interface AssetStore {
  /**
   * Returns the asset of the release that the app currently serves, or of the one that the reference names. Undefined if the app is
   * unknown, serves nothing, does not keep that release, or has no such asset. Rejects if the store is unavailable.
   */
  find(app: AppRef, assetName: string): Promise<StoredAsset | undefined>;
}

/** An asset whose stored bytes do not match their hash. It is counted and audited (docs/interface/assets.md#corrupt-assets). */
export interface CorruptAsset {
  readonly appName: string;
  readonly appId: string;
  /** Version of the app. */
  readonly version: string;
  readonly assetName: string;
  readonly expectedSha256: string;
  readonly actualSha256: string;
}
