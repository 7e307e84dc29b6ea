import type { DeploymentRecord, DeploymentState } from "@appserver/contracts/deployments";
import { checkTransition, healthIn } from "./deployment-state.ts";
import { maxDelayMs } from "./restart-policy.ts";

/**
 * The role of a deployment in its app (docs/interface/states.md#switch): it serves, it is started to replace the one that serves,
 * or it was replaced and finishes its exchanges.
 */
export type DeploymentRole = "current" | "next" | "retiring";

/** One attempt to run one generation of an app (docs/interface/states.md#deployment-record). */
export interface Deployment extends DeploymentRecord {
  readonly appName: string;
  /** SHA-256 of the manifest, hex. */
  readonly manifestDigest: string;
  /** An app has at most one deployment in each role. Undefined for an earlier deployment. */
  readonly role?: DeploymentRole | undefined;
  /** When the recent restarts were decided, in epoch milliseconds. Input of the restart policy. */
  readonly restarts: readonly number[];
  /**
   * How often the engine had restarted each instance, by its id, when that was recorded last. Undefined: never, or the engine restarts
   * none.
   */
  readonly instanceRestarts?: Readonly<Record<string, number>> | undefined;
  readonly healthySince?: Date | undefined;
  /** Time of a requested restart that is not done yet. */
  readonly restartRequestedAt?: Date | undefined;
  /** When its app was last asked to fall asleep, or to wake up. A request is for one state: HEALTHY or ASLEEP, and ends with it. */
  readonly sleepRequestedAt?: Date | undefined;
  readonly wakeRequestedAt?: Date | undefined;
  /** The keyed digest of the configuration that its container was created with. Undefined before. */
  readonly configuration?: string | undefined;
  /** The fingerprint of its container when that was created. Undefined before. */
  readonly fingerprint?: string | undefined;
  /** The engine's last status text of the pull. */
  readonly progressStatus?: string | undefined;
}

/** The fields that never change. */
export const fixedFields = [
  "id",
  "appId",
  "appName",
  "appVersion",
  "generation",
  "manifestDigest",
  "operationId",
  "driver",
  "image",
  "createdAt",
] as const satisfies readonly (keyof Deployment)[];

/** The fields that a transition may change, apart from the state. */
export type DeploymentChanges = Partial<
  Omit<Deployment, (typeof fixedFields)[number] | "state" | "healthStatus" | "healthySince" | "degradedSince" | "updatedAt">
>;

/**
 * Returns the deployment after a transition. An endpoint and instances are kept only in HEALTHY and UNHEALTHY, and a back-off only in the
 * state it was set with. Throws INVALID_STATE if the table does not allow the transition.
 */
export function transition(before: Deployment, to: DeploymentState, at: Date, changes: DeploymentChanges = {}): Deployment {
  checkTransition(before.appName, before.state, to);
  const serves = to === "HEALTHY" || to === "UNHEALTHY";
  return withDegradation({
    ...before,
    ...(serves ? {} : { endpoint: undefined, wantedInstances: undefined, instances: undefined }),
    ...(to === "HEALTHY" ? { lastError: undefined, fault: undefined, healthySince: at } : {}),
    ...(to === "STARTING" ? { healthySince: undefined } : {}),
    // What the app printed is not kept longer than the container.
    ...(to === "STOPPED"
      ? { containerId: undefined, role: roleOnceStopped(before), lastCrash: undefined, fault: undefined }
      : {}),
    notBefore: undefined,
    sleepRequestedAt: undefined,
    wakeRequestedAt: undefined,
    ...changes,
    state: to,
    healthStatus: healthIn(to),
    updatedAt: at,
  });
}

/** Returns the deployment after a change, with the time since when it serves with fewer ready instances than it should have. */
export function withDegradation(after: Deployment): Deployment {
  const { state, wantedInstances = 0, instances = [], degradedSince, updatedAt } = after;
  // One that has none ready is not healthy.
  const isDegraded = state === "HEALTHY" && instances.filter(({ ready }) => ready).length < wantedInstances;
  return { ...after, degradedSince: isDegraded ? (degradedSince ?? updatedAt) : undefined };
}

/** A removed current deployment keeps its role: it is what the app ran last. A deployment with another role loses its role. */
function roleOnceStopped({ role }: Deployment): DeploymentRole | undefined {
  return role === "current" ? role : undefined;
}

/**
 * Returns the next deployment as the current one. Its container keeps running. If it ended after it had been healthy, another
 * deployment follows.
 */
export function promote(next: Deployment, at: Date): Deployment {
  return { ...next, role: "current", final: false, updatedAt: at };
}

/** Returns the current deployment after another one took over. */
export function retire(current: Deployment, at: Date): Deployment {
  return { ...current, role: current.state === "STOPPED" ? undefined : "retiring", updatedAt: at };
}

/** Returns the image that runs: by digest when the digest is known, else by tag. */
export function imageOf({ image, imageDigest }: Pick<Deployment, "image" | "imageDigest">): string {
  return imageDigest === undefined ? image : `${image}@${imageDigest}`;
}

/** Returns the milliseconds until the back-off of the deployment is over, or 0 if there is no back-off. */
export function backOffLeft(deployment: Deployment, now: number): number {
  const left = (deployment.notBefore?.getTime() ?? now) - now;
  // Longer than the maximum back-off: the wall clock was set back.
  return left > maxDelayMs ? 0 : Math.max(0, left);
}
