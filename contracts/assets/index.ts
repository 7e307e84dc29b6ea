/**
 * Returns the strong entity tag of one representation. Other codings have other bytes and so other tags (RFC 9110 §8.8.3). The
 * tag of the raw bytes is the `etag` in GraphQL.
 */
export function entityTag(sha256Hex: string, coding?: string): string {
  return coding === undefined ? `"${sha256Hex}"` : `"${sha256Hex}-${coding}"`;
}

/** Returns `sha256-<base64>` of a hex digest, for Subresource Integrity (docs/interface/assets.md#headers). */
export function subresourceIntegrity(sha256Hex: string): string {
  return `sha256-${Buffer.from(sha256Hex, "hex").toString("base64")}`;
}

export { assetMimeTypes, assetTypeOf, assetTypes, isAssetName } from "./asset-types.ts";
