import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { placementOf } from "./placement.ts";

/** The image that a release runs (docs/interface/containers.md#image). */
export interface AppImage {
  /** `sha256:…`, as the manifest names it. Undefined: the tag of the stage names the image. */
  readonly digest: string | undefined;
}

/** Returns the image of a release. Undefined if the platform runs no container of it. */
export function imageOf(manifest: AppManifest): AppImage | undefined {
  return placementOf(manifest).needsContainer ? { digest: manifest.imageDigest } : undefined;
}
