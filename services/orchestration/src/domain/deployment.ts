import type { ErrorCode } from "@appserver/contracts/errors";
import { checkTransition, type DeploymentState, healthIn } from "./deployment-state.ts";
import type { HealthPlan } from "./health-plan.ts";
import { maxDelayMs } from "./restart-policy.ts";

/** The reason why a deployment is not healthy, with a code of the error catalogue. */
export interface DeploymentProblem {
  readonly code: ErrorCode;
  readonly message: string;
}

/** How the app last ended by itself. */
export interface Crash {
  readonly at: Date;
  readonly exitCode: number | undefined;
  /** The last lines that it printed, oldest first: at most 20, of at most 1,000 characters. */
  readonly output: readonly string[];
}

/** The limits that a container was created with. */
export interface CreatedLimits {
  /** MiB */
  readonly memoryMb: number;
  readonly cpuShares: number;
  readonly pids: number;
}

/**
 * The role of a deployment in its app (docs/interface/states.md#switch): it serves, it is started to replace the one that serves,
 * or it was replaced and finishes its exchanges.
 */
export type DeploymentRole = "current" | "next" | "retiring";

/** One attempt to run one generation of an app (docs/interface/states.md#deployment-record). */
export interface Deployment {
  /** UUIDv7 */
  readonly id: string;
  readonly appId: string;
  readonly appName: string;
  readonly appVersion: string;
  /** The installation that it belongs to. A deployment of an older generation is stale. */
  readonly generation: number;
  /** SHA-256 of the manifest, hex. */
  readonly manifestDigest: string;
  /** The operation that it was started for. Undefined unless it was started as the next deployment. */
  readonly operationId: string | undefined;
  /** An app has at most one deployment in each role. Undefined for an earlier deployment. */
  readonly role: DeploymentRole | undefined;
  readonly state: DeploymentState;
  readonly healthStatus: "UNKNOWN" | "HEALTHY" | "UNHEALTHY";
  /** True if the orchestrator has given up. It does nothing more until a new generation or an explicit restart. */
  readonly final: boolean;
  /** `docker`, `process` */
  readonly driver: string;
  /** The image by tag, as pulled. */
  readonly image: string;
  /** The digest of the image that runs: that of the release, or the one that the tag had when it was pulled. */
  readonly imageDigest: string | undefined;
  /** `app-<name>`, or `app-<name>-g<generation>` until the one that it replaces is removed. */
  readonly containerName: string;
  readonly containerId: string | undefined;
  /** The address of the app. Undefined while the app is not reachable. */
  readonly endpoint: string | undefined;
  readonly lastError: DeploymentProblem | undefined;
  /** Of this deployment, or of the failed one that it continues. Undefined once the container is stopped. */
  readonly lastCrash: Crash | undefined;
  /** Undefined before its container is created. */
  readonly limits: CreatedLimits | undefined;
  /** How its health is checked. Undefined before its container is created. */
  readonly healthPlan: HealthPlan | undefined;
  /** Restarts after failures, since the generation was installed or a restart was requested. */
  readonly restartCount: number;
  /** When the recent restarts were decided, in epoch milliseconds. Input of the restart policy. */
  readonly restarts: readonly number[];
  /** The next step waits until this time (back-off). */
  readonly notBefore: Date | undefined;
  readonly healthySince: Date | undefined;
  /** Time of a requested restart that is not done yet. */
  readonly restartRequestedAt: Date | undefined;
  /**
   * Since when its container is stopped, or is about to be, so that another release can start. While it is paused, its state does
   * not change.
   */
  readonly pausedAt: Date | undefined;
  /** The keyed digest of the configuration that its container was created with. Undefined before. */
  readonly configuration: string | undefined;
  /** The digest of the configuration that it should have. Undefined while it has that one. */
  readonly wantedConfiguration: string | undefined;
  /** Progress of the pull: 0..1 if the engine reports sizes, and the engine's last status text. */
  readonly progress: number | undefined;
  readonly progressStatus: string | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The fields that a transition may change, apart from the state. */
export type DeploymentChanges = Partial<
  Pick<
    Deployment,
    | "final"
    | "role"
    | "imageDigest"
    | "containerName"
    | "containerId"
    | "endpoint"
    | "lastError"
    | "lastCrash"
    | "limits"
    | "healthPlan"
    | "restartCount"
    | "restarts"
    | "notBefore"
    | "restartRequestedAt"
    | "pausedAt"
    | "configuration"
    | "wantedConfiguration"
  >
>;

/**
 * Returns the deployment after a transition. An endpoint is kept only in HEALTHY and UNHEALTHY, and a back-off only in the
 * state it was set with. Throws INVALID_STATE if the table does not allow the transition.
 */
export function transition(before: Deployment, to: DeploymentState, at: Date, changes: DeploymentChanges = {}): Deployment {
  checkTransition(before.appName, before.state, to);
  const serves = to === "HEALTHY" || to === "UNHEALTHY";
  return {
    ...before,
    ...(serves ? {} : { endpoint: undefined }),
    ...(to === "HEALTHY" ? { lastError: undefined, healthySince: at } : {}),
    ...(to === "STARTING" ? { healthySince: undefined } : {}),
    // What the app printed is not kept longer than the container.
    ...(to === "STOPPED" ? { containerId: undefined, role: roleOnceStopped(before), lastCrash: undefined } : {}),
    notBefore: undefined,
    ...changes,
    state: to,
    healthStatus: healthIn(to),
    updatedAt: at,
  };
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
