import type { DeploymentState, HealthState } from "@appserver/contracts/deployments";
import { AppError } from "@appserver/kernel";

/**
 * The only table of transitions (docs/interface/states.md#deployment-transitions). Back to PENDING: another attempt, starting
 * with the pull. Back to CREATING: the container vanished before it was healthy. HEALTHY to STARTING: the container was
 * restarted by another program. ASLEEP to STARTING: the app is woken; to CREATING, if its container is missing or out of date. Every state leads to STOPPING, because an app may be uninstalled at any time.
 */
const transitions: Readonly<Record<DeploymentState, readonly DeploymentState[]>> = {
  PENDING: ["PULLING", "FAILED", "STOPPING"],
  PULLING: ["CREATING", "PENDING", "FAILED", "STOPPING"],
  CREATING: ["STARTING", "PENDING", "FAILED", "STOPPING"],
  STARTING: ["HEALTHY", "PENDING", "CREATING", "RESTARTING", "FAILED", "STOPPING"],
  HEALTHY: ["UNHEALTHY", "STARTING", "RESTARTING", "ASLEEP", "FAILED", "STOPPING"],
  UNHEALTHY: ["HEALTHY", "RESTARTING", "FAILED", "STOPPING"],
  ASLEEP: ["STARTING", "CREATING", "PENDING", "FAILED", "STOPPING"],
  RESTARTING: ["STARTING", "PENDING", "CREATING", "FAILED", "STOPPING"],
  FAILED: ["STOPPING"],
  STOPPING: ["STOPPED"],
  STOPPED: [],
};

export const deploymentStates: readonly DeploymentState[] = Object.keys(transitions) as DeploymentState[];

export function canTransition(from: DeploymentState, to: DeploymentState): boolean {
  return transitions[from].includes(to);
}

/** Throws INVALID_STATE with both states if the table does not allow the transition. */
export function checkTransition(appName: string, from: DeploymentState, to: DeploymentState): void {
  if (canTransition(from, to)) return;
  throw new AppError("INVALID_STATE", `the deployment of ${appName} is ${from} and cannot become ${to}`, {
    details: { app: appName, from, to },
  });
}

/** Returns the health status that belongs to a state. */
export function healthIn(state: DeploymentState): HealthState {
  if (state === "HEALTHY") return "HEALTHY";
  return state === "UNHEALTHY" || state === "RESTARTING" || state === "FAILED" ? "UNHEALTHY" : "UNKNOWN";
}
