import { isAppName, isImageDigest, isReservedAppName } from "@appserver/contracts/names";
import { RegistryError } from "./registry-error.ts";

/** What a request is about. `app` is the name of an app, a digest is `sha256:` with 64 hex digits, an upload id is a UUID. */
export type Target =
  | { readonly kind: "version" }
  | { readonly kind: "blob"; readonly app: string; readonly digest: string }
  | { readonly kind: "manifest"; readonly app: string; readonly reference: Reference }
  | { readonly kind: "tags"; readonly app: string }
  | { readonly kind: "uploads"; readonly app: string }
  | { readonly kind: "upload"; readonly app: string; readonly id: string };

/** The name of a manifest in a repository. */
export type Reference = { readonly digest: string } | { readonly tag: string };

const maxTargetLength = 2_048;
const parts = /^\/v2\/([^/]+)\/(?:(blobs|manifests)\/([^/]+)|(tags)\/list|blobs\/(uploads)(?:\/([^/]*))?)$/;
const tagPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const uploadPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns what a path without its query names (docs/interface/registry.md#paths). Nothing is decoded here or later, and each part has a
 * grammar without `/` and without a leading dot, so a path cannot leave its repository. Throws {@link RegistryError}.
 */
export function parseTarget(path: string): Target {
  if (path === "/v2" || path === "/v2/") return { kind: "version" };
  const match = path.length > maxTargetLength ? null : parts.exec(path);
  if (!match) throw new RegistryError("NAME_UNKNOWN", "nothing has this path: expected /v2/<name of an app>/…");
  const [, app = "", kind = "", name = "", tags, uploads, id = ""] = match;
  requireRepository(app);
  if (tags !== undefined) return { kind: "tags", app };
  if (kind === "blobs" && name !== "uploads") return { kind: "blob", app, digest: requireDigest(name) };
  if (kind === "manifests") return { kind: "manifest", app, reference: referenceOf(name) };
  if (uploads === undefined || id === "") return { kind: "uploads", app };
  if (!uploadPattern.test(id)) throw new RegistryError("BLOB_UPLOAD_UNKNOWN", "there is no such upload");
  return { kind: "upload", app, id };
}

/** Throws {@link RegistryError} unless an app can have the name. */
export function requireRepository(name: string): void {
  if (!isAppName(name) || isReservedAppName(name))
    throw new RegistryError("NAME_INVALID", "the name of a repository is that of an app, without a path before or after it");
}

/** Returns the digest. Throws {@link RegistryError} for anything else. */
export function requireDigest(text: string | null): string {
  if (text !== null && isImageDigest(text)) return text;
  throw new RegistryError("DIGEST_INVALID", "expected a digest of the form sha256: and 64 lower-case hex digits");
}

function referenceOf(text: string): Reference {
  if (text.includes(":")) return { digest: requireDigest(text) };
  if (!tagPattern.test(text)) throw new RegistryError("MANIFEST_UNKNOWN", "no tag has this form");
  return { tag: text };
}
