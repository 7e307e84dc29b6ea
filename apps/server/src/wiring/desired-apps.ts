import { defaultImageStage } from "@appserver/contracts/settings";
import { type AppCatalogue, type InstalledApp, isInstalled } from "@appserver/marketplace";
import type { DesiredApp } from "@appserver/orchestration";
import type { ImageStages } from "@appserver/settings";

/** Returns the apps that the orchestrator should run, from the marketplace's catalogue and the apps' settings. */
export function desiredApps(
  catalogue: AppCatalogue,
  stages: ImageStages,
): {
  list(): Promise<readonly DesiredApp[]>;
  get(name: string): Promise<DesiredApp | undefined>;
} {
  return {
    list: async () => {
      const [installed, stageOf] = await Promise.all([catalogue.installed(), stages.all()]);
      return installed.filter(isDesired).map((app) => toDesired(app, stageOf.get(app.app.id)));
    },
    get: async (name) => {
      const installed = await catalogue.find(name);
      if (!installed || !isDesired(installed)) return undefined;
      return toDesired(installed, await stages.find(installed.app.id));
    },
  };
}

/** An app that FAILED while it was installed keeps its deployment, with the reason, until a user acts on it. */
function isDesired({ app }: InstalledApp): boolean {
  return isInstalled(app.state) || (app.state === "FAILED" && app.installedAt !== undefined);
}

function toDesired({ app, api, manifest, placement }: InstalledApp, imageStage: string | undefined): DesiredApp {
  // The port of an API that runs elsewhere is not the port of the container that renders the pages.
  const served = placement.api === "container" ? api : undefined;
  return {
    id: app.id,
    name: app.name,
    version: app.version,
    generation: app.generation,
    needsContainer: placement.needsContainer,
    upstreamPort: served ? portOf(served.upstreamBaseUrl) : rendererPort,
    healthCheck: served?.healthCheck,
    dependencies: manifest.dependencies.map((dependency) => ({ name: dependency.appName })),
    imageStage: imageStage ?? defaultImageStage(manifest.settings?.definitions ?? []),
  };
}

/** Port of a container that serves no API. */
const rendererPort = 3000;

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}
