/**
 * Media types of assets by the end of their names (docs/interface/manifest.md#assets): what build tools write and what pages load. The
 * platform serves all of them with `nosniff`, and sandboxes those in which a script could run.
 */
export const assetTypes: Readonly<Record<string, string>> = {
  ".avif": "image/avif",
  ".cjs": "text/javascript",
  ".css": "text/css",
  ".gif": "image/gif",
  ".html": "text/html",
  ".ico": "image/x-icon",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".js": "text/javascript",
  ".json": "application/json",
  ".map": "application/json",
  ".md": "text/markdown",
  ".mjs": "text/javascript",
  ".otf": "font/otf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
  ".txt": "text/plain",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".xml": "application/xml",
};

/** Every media type that an asset may have. */
export const assetMimeTypes: ReadonlySet<string> = new Set(["application/javascript", ...Object.values(assetTypes)]);

/** Returns the media type of an asset by its name. Undefined if its end has none. */
export function assetTypeOf(name: string): string | undefined {
  const end = /\.[^./]+$/.exec(name)?.[0].toLowerCase() ?? "";
  return Object.hasOwn(assetTypes, end) ? assetTypes[end] : undefined;
}

/** What the names of files in frameworks have: `[slug].js`, `$id.js`, `(group)/page.js`, and spaces inside. */
const segment = /^(?! )[A-Za-z0-9._~@+$()[\] -]+(?<! )$/;

/** Returns whether a name may be that of an asset: a relative path without `.` and `..`. */
export function isAssetName(name: string): boolean {
  return name.split("/").every((each) => segment.test(each) && each !== "." && each !== "..");
}
