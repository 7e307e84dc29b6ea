import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";

/** What runs where (design/behaviour): a container of ours, a backend somebody else runs, or nothing. */
export type Placement = "container" | "external" | "none";

/** `app-<name>`: the container's name and, on the platform's network, its host (specification §6.5). */
export function containerName(appName: string): string {
  return `app-${appName}`;
}

export function placementOf(manifest: AppManifest): Placement {
  if (manifest.webApp?.ui?.ssr) return "container";
  const api = manifest.webApp?.api;
  if (!api) return "none";
  return new URL(api.upstreamBaseUrl).hostname === containerName(manifest.name) ? "container" : "external";
}
