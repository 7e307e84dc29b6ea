import { manifestDigest } from "@appserver/contracts/manifest";
import { type AppManifest, AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { clone } from "@bufbuild/protobuf";
import type { LiveRelease } from "./live-app.ts";

/**
 * Returns whether two releases differ only in their page and in what people read of them, so that the container of one serves the other as
 * well (docs/interface/states.md#switch-of-the-page). Both name the same image by its digest: what a tag names is not known before a pull.
 */
export function runsSameBackend(one: LiveRelease, other: LiveRelease): boolean {
  // Such a container renders the pages, from the files of its own release.
  if (one.manifest.webApp?.ui?.ssr || other.manifest.webApp?.ui?.ssr) return false;
  if (!one.placement.needsContainer || one.manifest.imageDigest === undefined) return false;
  return backendDigest(one.manifest) === backendDigest(other.manifest);
}

/** Returns the digest of the part of a manifest that its container or the way to it follows from. */
function backendDigest(manifest: AppManifest): string {
  const copy = clone(AppManifestSchema, manifest);
  if (copy.webApp) {
    copy.webApp.assets = [];
    delete copy.webApp.ui;
  }
  return manifestDigest(Object.assign(copy, { version: "", displayName: "", description: "", translations: {} }));
}
