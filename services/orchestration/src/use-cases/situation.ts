import { backOffLeft, type Deployment } from "../domain/deployment.ts";
import type { DesiredApp } from "../domain/desired-app.ts";
import { type ContainerView, containerLabels } from "../ports.ts";

/** Everything a repair decides upon, read anew before each. */
export interface Situation {
  readonly appName: string;
  /** Undefined: surely not installed. */
  readonly desired: DesiredApp | undefined;
  readonly deployment: Deployment | undefined;
  /** What runs under the app's name, if it is this installation's and this app's. */
  readonly container: ContainerView | undefined;
  /** True until the first look after the orchestrator's start has come to rest. */
  readonly isStartup: boolean;
  readonly now: number;
}

/** Whether the current deployment is what should run. One of a newer generation is: then the desired state is the stale read. */
export function isWanted({ desired, deployment }: Situation): boolean {
  if (!desired?.needsContainer || !deployment) return false;
  return deployment.appId === desired.id && deployment.generation >= desired.generation && !deployment.restartRequestedAt;
}

/** Whether the deployment is in one of the states and its back-off is over. */
export function isReady({ deployment, now }: Situation, ...states: readonly Deployment["state"][]): boolean {
  return deployment !== undefined && states.includes(deployment.state) && backOffLeft(deployment, now) === 0;
}

/** There, but not running. */
export function isDown(container: ContainerView | undefined): boolean {
  return container?.status === "exited" || container?.status === "created";
}

/** The container if it belongs to the app of this installation and is not about to vanish. */
export function ownContainer(
  found: ContainerView | undefined,
  instance: string,
  appId: string | undefined,
): ContainerView | undefined {
  if (!found || found.status === "removing") return undefined;
  const isOurs = found.labels[containerLabels.instance] === instance && found.labels[containerLabels.appId] === appId;
  return isOurs ? found : undefined;
}
