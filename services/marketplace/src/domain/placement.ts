import { containerName } from "@appserver/contracts/names";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";

/** Where the parts of an app run (docs/interface/containers.md#placement). */
export interface Placement {
  /** Whether the platform runs a container of the app, for its API or to render its pages. */
  readonly needsContainer: boolean;
  /** Where the API runs: in that container, at a backend outside the platform, or nowhere. */
  readonly api: "container" | "external" | "none";
  /**
   * Whether that container renders the app's pages for the shell. An app whose API runs elsewhere has one address for the proxy: the
   * other one.
   */
  readonly rendersPages: boolean;
}

export function placementOf(manifest: AppManifest): Placement {
  const api = placementOfApi(manifest);
  const ssr = manifest.webApp?.ui?.ssr === true;
  return { needsContainer: api === "container" || ssr, api, rendersPages: ssr && api !== "external" };
}

function placementOfApi({ name, webApp }: AppManifest): Placement["api"] {
  if (!webApp?.api) return "none";
  return new URL(webApp.api.upstreamBaseUrl).hostname === containerName(name) ? "container" : "external";
}
