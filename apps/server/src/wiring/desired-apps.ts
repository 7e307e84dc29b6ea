import type { MarketplaceReads } from "@appserver/contracts/deployments";
import { defaultImageStage, effectiveDefinitions } from "@appserver/contracts/settings";
import {
  containerPermission,
  declaredReplicas,
  fixedReplicas,
  imageOwnerOf,
  type LiveApp,
  type LiveApps,
  type LiveRelease,
  shouldRun,
} from "@appserver/marketplace";
import type { DesiredApp, DesiredRelease, InstalledApps } from "@appserver/orchestration";
import type { ImageStages, PlatformSetting } from "@appserver/settings";

type Approvals = Pick<MarketplaceReads, "isApproved">;

/** The settings of the platform about containers. */
interface ContainerSettings {
  readonly stages: ImageStages;
  readonly replicas: PlatformSetting<number>;
}

/** Their values for one app. */
interface ChosenValues {
  readonly imageStage: string | undefined;
  readonly replicas: number | undefined;
}

/**
 * Returns the apps that the orchestrator should run, with what their settings say about containers, and their approvals. They are read as
 * they are stored now: a repair must not act on an earlier state.
 */
export function desiredApps(apps: LiveApps, { stages, replicas }: ContainerSettings, approved: Approvals): InstalledApps {
  return {
    all: async () => {
      const [stored, stageOf, replicasOf] = await Promise.all([apps.allCurrent(), stages.all(), replicas.all()]);
      const running = stored.filter(({ app }) => shouldRun(app));
      const chosen = (id: string): ChosenValues => ({ imageStage: stageOf.get(id), replicas: replicasOf.get(id) });
      return await Promise.all(running.map((live) => toDesired(live, chosen(live.app.id), approved)));
    },
    get: async (name) => {
      const live = await apps.current(name);
      if (!live || !shouldRun(live.app)) return undefined;
      const { id } = live.app;
      const [imageStage, count] = await Promise.all([stages.find(id), replicas.find(id)]);
      return await toDesired(live, { imageStage, replicas: count }, approved);
    },
  };
}

async function toDesired(live: LiveApp, chosen: ChosenValues, approved: Approvals): Promise<DesiredApp> {
  const { id, name, enabled, version, manifestDigest, imageDigest, generation } = live.app;
  const imageOwner = imageOwnerOf(live.app, manifestDigest);
  const release = { version, manifestDigest, imageDigest, imageOwner, generation };
  const needed = containerPermission(live) ?? (live.target && containerPermission(live.target));
  const isApproved = needed === undefined || (await approved.isApproved(id, needed));
  const next = nextRelease(live, chosen, isApproved);
  return { id, name, enabled, ...release, ...deploymentNeeds(live, chosen, isApproved), next };
}

function nextRelease({ app, target }: LiveApp, chosen: ChosenValues, isApproved: boolean): DesiredRelease | undefined {
  if (!app.target || !target) return undefined;
  const { version, manifestDigest, imageDigest, generation, operationId, strategy, snapshotFirst, restoredSnapshot } =
    app.target;
  const release = { version, manifestDigest, imageDigest, imageOwner: imageOwnerOf(app, manifestDigest), generation };
  const data = { snapshotFirst, restoredSnapshot };
  return { ...release, operationId, strategy, ...data, ...deploymentNeeds(target, chosen, isApproved) };
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
  | "replicas"
>;

/** Returns what the manifest says about the container of the release. */
function deploymentNeeds(release: LiveRelease, { imageStage, replicas }: ChosenValues, isApproved: boolean): DeploymentNeeds {
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
    replicas: replicas === undefined ? declaredReplicas(manifest) : fixedReplicas(replicas),
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
