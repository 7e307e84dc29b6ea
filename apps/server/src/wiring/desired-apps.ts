import { defaultImageStage } from "@appserver/contracts/settings";
import { type LiveApp, type LiveApps, shouldRun } from "@appserver/marketplace";
import type { DesiredApp, InstalledApps } from "@appserver/orchestration";
import type { ImageStages } from "@appserver/settings";

/**
 * Returns the apps that the orchestrator should run, with the image stages of their settings. They are read as they are stored
 * now: a repair must not act on an earlier state.
 */
export function desiredApps(apps: LiveApps, stages: ImageStages): InstalledApps {
  return {
    all: async () => {
      const [stored, stageOf] = await Promise.all([apps.allCurrent(), stages.all()]);
      return stored.filter(({ app }) => shouldRun(app)).map((live) => toDesired(live, stageOf.get(live.app.id)));
    },
    get: async (name) => {
      const live = await apps.current(name);
      if (!live || !shouldRun(live.app)) return undefined;
      return toDesired(live, await stages.find(live.app.id));
    },
  };
}

function toDesired({ app, api, manifest, placement }: LiveApp, imageStage: string | undefined): DesiredApp {
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
