import type { CatalogueCode } from "@appserver/contracts/errors";
import { checkTransition, type DeploymentState, healthIn } from "./deployment-state.ts";
import { longestDelayMs } from "./restart-policy.ts";

/** Why a deployment is not well, with a code of the error catalogue. */
export interface DeploymentProblem {
  readonly code: CatalogueCode;
  readonly message: string;
}

/** One attempt to run one generation of an app (docs/interface/states.md#deployment-record). */
export interface Deployment {
  /** UUIDv7 */
  readonly id: string;
  readonly appId: string;
  readonly appName: string;
  readonly appVersion: string;
  /** Installation it belongs to; one of an older generation is stale. */
  readonly generation: number;
  readonly state: DeploymentState;
  readonly healthStatus: "UNKNOWN" | "HEALTHY" | "UNHEALTHY";
  /** True when the orchestrator has given up: nothing more happens until a new generation or an explicit restart. */
  readonly final: boolean;
  /** `docker`, `process` */
  readonly driver: string;
  /** By tag, as pulled. */
  readonly image: string;
  /** What the tag meant when it was pulled, and so what runs. */
  readonly imageDigest: string | undefined;
  readonly containerName: string;
  readonly containerId: string | undefined;
  /** Where the app answers; undefined while it does not. */
  readonly endpoint: string | undefined;
  readonly lastError: DeploymentProblem | undefined;
  /** Restarts after failures since the generation was installed or somebody asked for a restart. */
  readonly restartCount: number;
  /** When the recent ones of them were decided, in epoch milliseconds: what the restart policy looks at. */
  readonly restarts: readonly number[];
  /** The next step waits until then (back-off). */
  readonly notBefore: Date | undefined;
  readonly healthySince: Date | undefined;
  /** When somebody asked for a restart that is not done yet. */
  readonly restartRequestedAt: Date | undefined;
  /** Of the pull: 0..1 where the engine tells sizes, and its last words. */
  readonly progress: number | undefined;
  readonly progressStatus: string | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What a transition may change beyond the state. */
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
 * The deployment after a transition. An endpoint lasts only while HEALTHY or UNHEALTHY, and a back-off only for the state it
 * was set with. Throws INVALID_STATE when the table does not have the transition.
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

/** Milliseconds until the back-off of the deployment is over; 0 when there is none. */
export function backOffLeft(deployment: Deployment, now: number): number {
  const left = (deployment.notBefore?.getTime() ?? now) - now;
  // More than any back-off there is: the wall clock was set back meanwhile.
  return left > longestDelayMs ? 0 : Math.max(0, left);
}
