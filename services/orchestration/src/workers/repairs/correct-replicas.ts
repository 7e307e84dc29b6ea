import type { DesiredApp } from "../../domain/desired-app.ts";
import type { ContainerView } from "../../ports.ts";
import type { Comparison } from "../observed-state.ts";
import type { Repair, RepairContext } from "../repair-context.ts";
import { correctCount, replicasOf } from "../replicas.ts";

/**
 * Gives a container its number of instances after the app wants another one, another program has changed it, or a stop was interrupted
 * that is no longer wanted.
 */
export const correctReplicas: Repair = {
  name: "correct-replicas",
  applies: ({ desired, deployment, container, comparison }, context) =>
    desired !== undefined &&
    container?.status === "running" &&
    container.wanted !== countFor(desired, container, context) &&
    !(container.wanted > 0 && mayScaleOtherwise(comparison, context)) &&
    deployment !== undefined &&
    ["STARTING", "HEALTHY", "UNHEALTHY"].includes(deployment.state),
  apply: async ({ desired, container }, context) => {
    if (desired && container) await context.runtime.start(container.name, countFor(desired, container, context));
  },
};

/** An engine changes the number within the range that the container was created with. Another range needs another container. */
function mayScaleOtherwise(comparison: Comparison | undefined, { runtime }: RepairContext): boolean {
  return runtime.abilities.restarts === "engine" && comparison?.kind === "different";
}

function countFor(desired: DesiredApp, { wanted }: ContainerView, context: RepairContext): number {
  return correctCount(replicasOf(desired, context), wanted, context);
}
