import { moveTo, type Repair } from "../workbench.ts";

/**
 * Start-up reconciliation starts stopped containers (specification §6.4): the machine or the platform went down with them,
 * which is no failure of the app, so nothing is counted and nothing waits.
 */
export const startStopped: Repair = {
  name: "start-stopped",
  applies: ({ deployment, container, isStartup }) =>
    isStartup &&
    container?.status === "exited" &&
    (deployment?.state === "HEALTHY" || deployment?.state === "UNHEALTHY" || deployment?.state === "STARTING"),
  apply: async ({ deployment }, bench) => {
    if (deployment) await moveTo(bench, deployment, "RESTARTING");
  },
};
