/** Number of hex digits of the hash in a versioned URL. 64 bits distinguish the versions of one file. */
const versionLength = 16;
const versionPattern = /^[0-9a-f]{8,64}$/;

/** Returns the versioned, immutable URL path of an asset (docs/interface/assets.md#versioned-urls). */
export function assetUrl(appName: string, assetName: string, sha256Hex: string): string {
  const path = assetName.split("/").map(encodeURIComponent).join("/");
  return `/apps/${encodeURIComponent(appName)}/assets/${path}?v=${sha256Hex.slice(0, versionLength)}`;
}

/** Returns whether the `v` of a URL names this content: a prefix of its hash with at least 8 digits. */
export function isVersionOf(version: string, sha256Hex: string): boolean {
  return versionPattern.test(version) && sha256Hex.startsWith(version);
}
