import { backOffLeft, type Deployment } from "../../domain/deployment.ts";
import type { DesiredApp } from "../../domain/desired-app.ts";
import type { ContainerView } from "../../ports.ts";
import { hasSeveral, isAnyDown } from "../known-instances.ts";
import type { Repair, RepairContext } from "../repair-context.ts";
import { correctCount, replicasOf } from "../replicas.ts";
import { storeInstances } from "../store-instances.ts";

/** Until the servers know that requests go to fewer instances, and most requests of the others have ended. */
const drainMs = 5_000;

/**
 * Gives a container its number of instances after the app wants another one, another program has changed it, or a stop was interrupted
 * that is no longer wanted. Starts instances that have ended, after their back-off, if the engine does not.
 */
export const correctReplicas: Repair = {
  name: "correct-replicas",
  applies: ({ desired, deployment, container }, context) =>
    desired !== undefined &&
    container?.status === "running" &&
    deployment !== undefined &&
    ["STARTING", "HEALTHY", "UNHEALTHY"].includes(deployment.state) &&
    (container.wanted !== countFor(desired, container, context) || mustStart(deployment, container, context)),
  apply: async ({ desired, deployment, container }, context) => {
    if (!desired || !deployment || !container) return;
    const count = countFor(desired, container, context);
    if (count < container.wanted) await drain(deployment, container, count, context);
    await context.runtime.start(container.name, count);
    context.health.hasten();
  },
};

function mustStart(deployment: Deployment, container: ContainerView, { runtime, clock }: RepairContext): boolean {
  if (runtime.abilities.restarts === "engine" || !hasSeveral(container)) return false;
  return isAnyDown(container) && backOffLeft(deployment, clock.now()) === 0;
}

/** An engine that restarts instances also keeps requests away from those that it ends. */
async function drain(deployment: Deployment, container: ContainerView, count: number, context: RepairContext): Promise<void> {
  if (context.runtime.abilities.restarts === "engine" || deployment.state === "STARTING") return;
  const instances = container.instances.map((instance, index) => (index < count ? instance : { ...instance, isReady: false }));
  await storeInstances(context, deployment, { ...container, instances });
  await context.clock.sleep(drainMs, context.signal);
}

function countFor(desired: DesiredApp, { wanted }: ContainerView, context: RepairContext): number {
  return correctCount(replicasOf(desired, context), wanted, context);
}
