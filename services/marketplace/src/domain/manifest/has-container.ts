import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { placementOf } from "../placement.ts";

/** Returns whether the platform runs a container. Ignores an upstream that is not a URL: another check reports it. */
export function hasContainer(manifest: AppManifest): boolean {
  const upstream = manifest.webApp?.api?.upstreamBaseUrl;
  return upstream !== undefined && !URL.canParse(upstream) ? true : placementOf(manifest).needsContainer;
}
