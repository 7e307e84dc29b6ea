import type { Repair } from "../repair-context.ts";

/** Until apps declare another number. */
const replicas = 1;

/**
 * Gives a container its number of instances again after another program has changed it, or after a stop that was interrupted and is no
 * longer wanted.
 */
export const correctReplicas: Repair = {
  name: "correct-replicas",
  applies: ({ deployment, container }) =>
    container?.status === "running" &&
    container.wanted !== replicas &&
    deployment !== undefined &&
    ["STARTING", "HEALTHY", "UNHEALTHY"].includes(deployment.state),
  apply: async ({ container }, { runtime }) => {
    if (container) await runtime.start(container.name, replicas);
  },
};
