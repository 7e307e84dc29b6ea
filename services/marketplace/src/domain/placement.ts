import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";

/** What runs where (design/behaviour). */
export interface Placement {
  /** Whether the platform runs a container of the app: for its API, or to render its pages. */
  readonly needsContainer: boolean;
  /** Where the API is: in that container, at a backend that the platform does not run, or nowhere. */
  readonly api: "container" | "external" | "none";
}

/** `app-<name>`: the container's name and, on the platform's network, its host (specification §6.5). */
export function containerName(appName: string): string {
  return `app-${appName}`;
}

export function placementOf(manifest: AppManifest): Placement {
  const api = placementOfApi(manifest);
  return { needsContainer: api === "container" || manifest.webApp?.ui?.ssr === true, api };
}

function placementOfApi({ name, webApp }: AppManifest): Placement["api"] {
  if (!webApp?.api) return "none";
  return new URL(webApp.api.upstreamBaseUrl).hostname === containerName(name) ? "container" : "external";
}
