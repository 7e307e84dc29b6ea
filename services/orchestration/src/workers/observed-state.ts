import { backOffLeft, type Deployment } from "../domain/deployment.ts";
import type { DesiredApp } from "../domain/desired-app.ts";
import { type ContainerView, containerLabels } from "../ports.ts";

/** The input of all repairs. It is read again before each repair. */
export interface ObservedState {
  readonly appName: string;
  /** Undefined only if it is certain that the app is not installed. */
  readonly desired: DesiredApp | undefined;
  readonly deployment: Deployment | undefined;
  /** The container under the app's name, if it belongs to this installation and this app. */
  readonly container: ContainerView | undefined;
  /** True until the first reconciliation after the orchestrator's start has ended. */
  readonly isStartup: boolean;
  readonly now: number;
}

/**
 * Returns whether the current deployment should run. A deployment of a newer generation should: then the desired state is a
 * stale read.
 */
export function isWanted({ desired, deployment }: ObservedState): boolean {
  if (!desired?.needsContainer || !deployment) return false;
  return deployment.appId === desired.id && deployment.generation >= desired.generation && !deployment.restartRequestedAt;
}

/** Returns whether the deployment is in one of the states and its back-off is over. */
export function isReady({ deployment, now }: ObservedState, ...states: readonly Deployment["state"][]): boolean {
  return deployment !== undefined && states.includes(deployment.state) && backOffLeft(deployment, now) === 0;
}

/** Returns whether the container exists but does not run. */
export function isDown(container: ContainerView | undefined): boolean {
  return container?.status === "exited" || container?.status === "created";
}

/** Returns the container if it belongs to the app of this installation and is not being removed. */
export function ownContainer(
  found: ContainerView | undefined,
  instance: string,
  appId: string | undefined,
): ContainerView | undefined {
  if (!found || found.status === "removing") return undefined;
  const isOurs = found.labels[containerLabels.instance] === instance && found.labels[containerLabels.appId] === appId;
  return isOurs ? found : undefined;
}
