import type { DesiredApp } from "../../domain/desired-app.ts";
import type { ContainerView } from "../../ports.ts";
import type { Repair, RepairContext } from "../repair-context.ts";
import { correctCount, replicasOf } from "../replicas.ts";

/**
 * Gives a container its number of instances after the app wants another one, another program has changed it, or a stop was interrupted
 * that is no longer wanted.
 */
export const correctReplicas: Repair = {
  name: "correct-replicas",
  applies: ({ desired, deployment, container }, context) =>
    desired !== undefined &&
    container?.status === "running" &&
    container.wanted !== countFor(desired, container, context) &&
    deployment !== undefined &&
    ["STARTING", "HEALTHY", "UNHEALTHY"].includes(deployment.state),
  apply: async ({ desired, container }, context) => {
    if (desired && container) await context.runtime.start(container.name, countFor(desired, container, context));
  },
};

function countFor(desired: DesiredApp, { wanted }: ContainerView, context: RepairContext): number {
  return correctCount(replicasOf(desired, context), wanted, context);
}
