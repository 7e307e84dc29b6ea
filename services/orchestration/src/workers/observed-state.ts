import type { DataRemoval, StorageRemoval } from "@appserver/contracts/deployments";
import { containerName } from "@appserver/contracts/names";
import { backOffLeft, type Deployment, type DeploymentRole } from "../domain/deployment.ts";
import type { DesiredApp } from "../domain/desired-app.ts";
import {
  type AppNetworkView,
  type ContainerRuntime,
  type ContainerView,
  containerLabels,
  type DeploymentsByRole,
  type SnapshotWork,
} from "../ports.ts";

/** How the configuration of a deployment relates to the one that it should have. */
export type Comparison =
  | { readonly kind: "same" }
  /** The same, by a digest with an earlier key. `digest` has the newest one. */
  | { readonly kind: "rekeyed"; readonly digest: string }
  | { readonly kind: "different"; readonly digest: string };

/** The input of all repairs. It is read again before each repair. */
export interface ObservedState {
  readonly appName: string;
  /** The role whose deployment is observed. */
  readonly role: DeploymentRole;
  /** Undefined only if it is certain that the app is not installed. */
  readonly installed: DesiredApp | undefined;
  /** What the deployment of this role should run. Undefined: nothing. */
  readonly desired: DesiredApp | undefined;
  readonly deployment: Deployment | undefined;
  /** The deployments of all roles. */
  readonly deployments: DeploymentsByRole;
  /** The container of the deployment, if it belongs to this installation and this app. */
  readonly container: ContainerView | undefined;
  /** Undefined if the configuration is not compared in this role and state. */
  readonly comparison: Comparison | undefined;
  /** The requests to delete data of apps of this name. Empty while anything of the app runs. */
  readonly dataRemovals: readonly (DataRemoval | StorageRemoval)[];
  readonly snapshotWork: SnapshotWork;
  /** The networks of this name that no installed app needs. Empty while anything of the app runs. */
  readonly unusedNetworks: readonly AppNetworkView[];
  /** The end of the certificate of the container. Undefined without a container, or without an identity. */
  readonly certificateEndsAt: Date | undefined;
  /** Whether the deployment that this one was paused for may still run. */
  readonly isSuccessorUp: boolean;
  /** Whether the deployment that must be stopped before this one may still run. Only read for a next one in CREATING. */
  readonly isPredecessorUp: boolean;
  /** True until the first reconciliation after the orchestrator's start, or after the engine was away, has started what had stopped. */
  readonly isStartup: boolean;
  readonly now: number;
}

/** Returns what the deployment of the role should run. */
export function desiredFor(role: DeploymentRole, installed: DesiredApp | undefined): DesiredApp | undefined {
  if (role === "current") return installed;
  if (role === "retiring" || !installed?.next) return undefined;
  const { id, name, enabled, next } = installed;
  return { ...next, id, name, enabled, next: undefined };
}

/** Returns whether a container of the app should run, whatever its state. */
export function needsDeployment(desired: DesiredApp | undefined): desired is DesiredApp {
  return desired?.enabled === true && desired.needsContainer;
}

/**
 * Returns whether the deployment should run. A current deployment of a newer generation should: then the desired state is a
 * stale read.
 */
export function isWanted({ role, installed, desired, deployment }: ObservedState): boolean {
  if (!needsDeployment(desired) || deployment?.appId !== desired.id) return false;
  if (role === "current") return deployment.generation >= desired.generation && !deployment.restartRequestedAt;
  return deployment.generation === desired.generation && deployment.operationId === installed?.next?.operationId;
}

/** Returns whether the next deployment runs the installed release, so that it must become the current one. */
export function isSwitched({ installed, deployments: { next } }: ObservedState): boolean {
  if (!installed || !next || next.state === "STOPPING") return false;
  const { appId, generation, manifestDigest } = next;
  return appId === installed.id && generation === installed.generation && manifestDigest === installed.manifestDigest;
}

/** Returns whether the current deployment must be stopped before the next one, which waits in CREATING, can start. */
export function mustPause({ installed, deployments: { next } }: ObservedState): boolean {
  if (!installed?.enabled || installed.next?.strategy !== "replace") return false;
  if (next?.operationId !== installed.next.operationId) return false;
  return !["PENDING", "PULLING", "FAILED", "STOPPING"].includes(next.state);
}

/** Returns whether the deployment is marked as paused and its container does not run. */
export async function isPaused(
  deployment: Deployment,
  { runtime, options }: { readonly runtime: ContainerRuntime; readonly options: { readonly instance: string } },
): Promise<boolean> {
  if (deployment.pausedAt === undefined) return false;
  return (await findContainer(runtime, options.instance, deployment))?.status !== "running";
}

/** Returns whether the deployment is in one of the states and its back-off is over. */
export function isReady({ deployment, now }: ObservedState, ...states: readonly Deployment["state"][]): boolean {
  return deployment !== undefined && states.includes(deployment.state) && backOffLeft(deployment, now) === 0;
}

/** Returns whether the container exists but does not run. */
export function isDown(container: ContainerView | undefined): boolean {
  return container?.status === "exited" || container?.status === "created";
}

/**
 * Returns the container of the deployment: the one with the stored name, or the one that was renamed before the new name was
 * stored.
 */
export async function findContainer(
  runtime: ContainerRuntime,
  instance: string,
  deployment: Deployment,
): Promise<ContainerView | undefined> {
  const named = ownContainer(await runtime.inspect(deployment.containerName), instance, deployment);
  const finalName = containerName(deployment.appName);
  if (named || deployment.containerName === finalName) return named;
  const renamed = ownContainer(await runtime.inspect(finalName), instance, deployment);
  return renamed?.labels[containerLabels.deploymentId] === deployment.id ? renamed : undefined;
}

/** Returns the container if it belongs to the app of this installation and is not being removed. */
function ownContainer(
  found: ContainerView | undefined,
  instance: string,
  { id, appId, role }: Deployment,
): ContainerView | undefined {
  if (!found || found.status === "removing") return undefined;
  const { labels } = found;
  const isOurs = labels[containerLabels.instance] === instance && labels[containerLabels.appId] === appId;
  // The current deployment also takes over the container of an earlier one.
  return isOurs && (role === "current" || labels[containerLabels.deploymentId] === id) ? found : undefined;
}
