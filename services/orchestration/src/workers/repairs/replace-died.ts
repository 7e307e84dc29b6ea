import type { DeploymentState } from "@appserver/contracts/deployments";
import { crashOf, tryAgain } from "../failure.ts";
import { isDown } from "../observed-state.ts";
import type { Repair } from "../repair-context.ts";

/** The next state after a container exited: a new deployment if it had been healthy, else another start. */
const afterDeath: Partial<Record<DeploymentState, DeploymentState>> = {
  STARTING: "RESTARTING",
  HEALTHY: "FAILED",
  UNHEALTHY: "RESTARTING",
};

/** Retries an app that exited, by the restart policy (docs/interface/containers.md#restarts). */
export const replaceDied: Repair = {
  name: "replace-died",
  applies: ({ deployment, container }) =>
    isDown(container) && deployment !== undefined && afterDeath[deployment.state] !== undefined,
  apply: async ({ desired, deployment, container }, context) => {
    const next = deployment && afterDeath[deployment.state];
    if (!next || !container) return;
    const { problem, crash } = await crashOf(context, desired, container);
    await tryAgain(context, deployment, next, problem, { lastCrash: crash });
  },
};
