const versionPattern = /^[0-9a-f]{8,64}$/;

/**
 * Returns the immutable URL path of an asset of one release (docs/interface/assets.md#versioned-urls). Relative imports in the file
 * stay in that release.
 */
export function assetUrl(appName: string, manifestDigest: string, assetName: string): string {
  const path = assetName.split("/").map(encodeURIComponent).join("/");
  return `/apps/${encodeURIComponent(appName)}/versions/${manifestDigest}/${path}`;
}

/** Returns whether the `v` of a URL names this content: a prefix of its hash with at least 8 digits. */
export function isVersionOf(version: string, sha256Hex: string): boolean {
  return versionPattern.test(version) && sha256Hex.startsWith(version);
}
