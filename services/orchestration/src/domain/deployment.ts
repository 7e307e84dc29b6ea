import type { ErrorCode } from "@appserver/contracts/errors";
import { checkTransition, type DeploymentState, healthIn } from "./deployment-state.ts";
import { longestDelayMs } from "./restart-policy.ts";

/** The reason why a deployment is not healthy, with a code of the error catalogue. */
export interface DeploymentProblem {
  readonly code: ErrorCode;
  readonly message: string;
}

/** One attempt to run one generation of an app (docs/interface/states.md#deployment-record). */
export interface Deployment {
  /** UUIDv7 */
  readonly id: string;
  readonly appId: string;
  readonly appName: string;
  readonly appVersion: string;
  /** The installation that it belongs to. A deployment of an older generation is stale. */
  readonly generation: number;
  readonly state: DeploymentState;
  readonly healthStatus: "UNKNOWN" | "HEALTHY" | "UNHEALTHY";
  /** True if the orchestrator has given up. It does nothing more until a new generation or an explicit restart. */
  readonly final: boolean;
  /** `docker`, `process` */
  readonly driver: string;
  /** The image by tag, as pulled. */
  readonly image: string;
  /** The digest of the tag when it was pulled. This image runs. */
  readonly imageDigest: string | undefined;
  readonly containerName: string;
  readonly containerId: string | undefined;
  /** The address of the app. Undefined while the app is not reachable. */
  readonly endpoint: string | undefined;
  readonly lastError: DeploymentProblem | undefined;
  /** Restarts after failures, since the generation was installed or a restart was requested. */
  readonly restartCount: number;
  /** When the recent restarts were decided, in epoch milliseconds. Input of the restart policy. */
  readonly restarts: readonly number[];
  /** The next step waits until this time (back-off). */
  readonly notBefore: Date | undefined;
  readonly healthySince: Date | undefined;
  /** Time of a requested restart that is not done yet. */
  readonly restartRequestedAt: Date | undefined;
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
    | "imageDigest"
    | "containerId"
    | "endpoint"
    | "lastError"
    | "restartCount"
    | "restarts"
    | "notBefore"
    | "restartRequestedAt"
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
    ...(to === "STOPPED" ? { containerId: undefined } : {}),
    notBefore: undefined,
    ...changes,
    state: to,
    healthStatus: healthIn(to),
    updatedAt: at,
  };
}

/** Returns the milliseconds until the back-off of the deployment is over, or 0 if there is no back-off. */
export function backOffLeft(deployment: Deployment, now: number): number {
  const left = (deployment.notBefore?.getTime() ?? now) - now;
  // Longer than the maximum back-off: the wall clock was set back.
  return left > longestDelayMs ? 0 : Math.max(0, left);
}
