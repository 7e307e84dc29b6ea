/** One file of an app's frontend, as the marketplace stores it. */
export interface StoredAsset {
  readonly appName: string;
  readonly appId: string;
  /** Version of the app. */
  readonly version: string;
  /** The manifest's digest of its release, if it was read for that release. Otherwise it is that of the release that serves. */
  readonly release?: string;
  /** Whether its release no longer serves. The app's permissions were approved for another one. */
  readonly isFormer?: boolean;
  /** For example `js/main.js`. */
  readonly name: string;
  readonly mimeType: string;
  readonly contents: Uint8Array;
  /** Lowercase hex, as registered. `contents` must have this hash. */
  readonly sha256: string;
}

/** Codings that the service compresses to. `identity` is the stored bytes. */
export type Coding = "br" | "gzip" | "zstd";
