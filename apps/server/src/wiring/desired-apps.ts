import type { MarketplaceReads } from "@appserver/contracts/deployments";
import { defaultImageStage, effectiveDefinitions } from "@appserver/contracts/settings";
import {
  containerPermission,
  imageOwnerOf,
  type LiveApp,
  type LiveApps,
  type LiveRelease,
  shouldRun,
} from "@appserver/marketplace";
import type { DesiredApp, DesiredRelease, InstalledApps } from "@appserver/orchestration";
import type { ImageStages } from "@appserver/settings";

type Approvals = Pick<MarketplaceReads, "isApproved">;

/**
 * Returns the apps that the orchestrator should run, with the image stages of their settings and their approvals. They are read as
 * they are stored now: a repair must not act on an earlier state.
 */
export function desiredApps(apps: LiveApps, stages: ImageStages, approved: Approvals): InstalledApps {
  return {
    all: async () => {
      const [stored, stageOf] = await Promise.all([apps.allCurrent(), stages.all()]);
      const running = stored.filter(({ app }) => shouldRun(app));
      return await Promise.all(running.map((live) => toDesired(live, stageOf.get(live.app.id), approved)));
    },
    get: async (name) => {
      const live = await apps.current(name);
      if (!live || !shouldRun(live.app)) return undefined;
      return await toDesired(live, await stages.find(live.app.id), approved);
    },
  };
}

async function toDesired(live: LiveApp, imageStage: string | undefined, approved: Approvals): Promise<DesiredApp> {
  const { id, name, enabled, version, manifestDigest, imageDigest, generation } = live.app;
  const imageOwner = imageOwnerOf(live.app, manifestDigest);
  const release = { version, manifestDigest, imageDigest, imageOwner, generation };
  const needed = containerPermission(live) ?? (live.target && containerPermission(live.target));
  const isApproved = needed === undefined || (await approved.isApproved(id, needed));
  const next = nextRelease(live, imageStage, isApproved);
  return { id, name, enabled, ...release, ...deploymentNeeds(live, imageStage, isApproved), next };
}

function nextRelease(
  { app, target }: LiveApp,
  imageStage: string | undefined,
  isApproved: boolean,
): DesiredRelease | undefined {
  if (!app.target || !target) return undefined;
  const { version, manifestDigest, imageDigest, generation, operationId, strategy, snapshotFirst, restoredSnapshot } =
    app.target;
  const release = { version, manifestDigest, imageDigest, imageOwner: imageOwnerOf(app, manifestDigest), generation };
  const data = { snapshotFirst, restoredSnapshot };
  return { ...release, operationId, strategy, ...data, ...deploymentNeeds(target, imageStage, isApproved) };
}

type DeploymentNeeds = Pick<
  DesiredApp,
  | "signedDigest"
  | "needsContainer"
  | "upstreamPort"
  | "healthCheck"
  | "dependencies"
  | "storage"
  | "sharesStorage"
  | "imageStage"
  | "environment"
  | "settingVariables"
  | "user"
  | "unapproved"
  | "limits"
>;

/** Returns what the manifest says about the container of the release. */
function deploymentNeeds(release: LiveRelease, imageStage: string | undefined, isApproved: boolean): DeploymentNeeds {
  const { api, manifest, placement, strategy } = release;
  // The port of an API that runs elsewhere is not the port of the container that renders the pages.
  const served = placement.api === "container" ? api : undefined;
  const definitions = manifest.settings?.definitions ?? [];
  const { environment, user, resources, imageDigest: signedDigest } = manifest;
  return {
    signedDigest,
    needsContainer: placement.needsContainer,
    upstreamPort: served ? portOf(served.upstreamBaseUrl) : rendererPort,
    healthCheck: served?.healthCheck,
    dependencies: manifest.dependencies.map((dependency) => ({ name: dependency.appName })),
    storage: manifest.storage.map(({ name, mountPath, size }) => ({ name, mountPath, size })),
    sharesStorage: strategy === "side_by_side",
    imageStage: imageStage ?? defaultImageStage(definitions),
    environment,
    settingVariables: effectiveDefinitions(definitions).filter(({ env = "" }) => env !== ""),
    user,
    unapproved: isApproved ? undefined : containerPermission(release),
    limits: { memoryMb: resources?.memoryMb, cpuShares: resources?.cpuShares, pids: resources?.pids },
  };
}

/** Port of a container that serves no API. */
const rendererPort = 3000;

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}
