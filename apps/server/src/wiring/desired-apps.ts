import { type AppCatalogue, type InstalledApp, isInstalled } from "@appserver/marketplace";
import type { DesiredApp } from "@appserver/orchestration";

/** What the orchestrator shall run, out of the marketplace's catalogue. */
export function desiredApps(catalogue: AppCatalogue): {
  list(): Promise<readonly DesiredApp[]>;
  get(name: string): Promise<DesiredApp | undefined>;
} {
  return {
    list: async () => (await catalogue.installed()).filter(isDesired).map(toDesired),
    get: async (name) => {
      const installed = await catalogue.find(name);
      return installed && isDesired(installed) ? toDesired(installed) : undefined;
    },
  };
}

/** An app that FAILED while it was installed keeps its deployment, with the reason, until somebody acts on it. */
function isDesired({ app }: InstalledApp): boolean {
  return isInstalled(app.state) || (app.state === "FAILED" && app.installedAt !== undefined);
}

function toDesired({ app, api, manifest, placement }: InstalledApp): DesiredApp {
  return {
    id: app.id,
    name: app.name,
    version: app.version,
    generation: app.generation,
    needsContainer: placement === "container",
    upstreamPort: api ? portOf(api.upstreamBaseUrl) : 3000,
    healthCheck: api?.healthCheck,
    dependencies: manifest.dependencies.map((dependency) => ({ name: dependency.appName })),
  };
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}
