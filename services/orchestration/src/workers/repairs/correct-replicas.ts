import { backOffLeft, type Deployment } from "../../domain/deployment.ts";
import type { DesiredApp } from "../../domain/desired-app.ts";
import { ContainerError, type ContainerView } from "../../ports.ts";
import { hasSeveral, isAnyDown } from "../known-instances.ts";
import type { Comparison } from "../observed-state.ts";
import type { Repair, RepairContext } from "../repair-context.ts";
import { correctCount, replicasOf } from "../replicas.ts";
import { storeInstances } from "../store-instances.ts";

/** Until the servers know that requests go to fewer instances, and most requests of the others have ended. */
const drainMs = 5_000;
/** Pause after the engine could not make an instance. */
const pauseMs = 30_000;

/**
 * Gives a container its number of instances after the app wants another one, another program has changed it, or a stop was interrupted
 * that is no longer wanted. Starts instances that have ended, after their back-off, if the engine does not.
 */
export const correctReplicas: Repair = {
  name: "correct-replicas",
  applies: ({ desired, deployment, container, comparison }, context) =>
    desired !== undefined &&
    container?.status === "running" &&
    deployment !== undefined &&
    ["STARTING", "HEALTHY", "UNHEALTHY"].includes(deployment.state) &&
    (isSupervised(context)
      ? container.wanted !== countFor(desired, container, context) && !(container.wanted > 0 && mayScaleOtherwise(comparison))
      : backOffLeft(deployment, context.clock.now()) === 0 && isWrong(desired, container, context)),
  apply: async ({ desired, deployment, container }, context) => {
    if (!desired || !deployment || !container) return;
    const count = countFor(desired, container, context);
    if (isSupervised(context)) {
      await context.runtime.start(container.name, count);
      return;
    }
    const current = count < container.wanted ? await drained(deployment, container, count, context) : deployment;
    try {
      await context.runtime.start(container.name, count);
    } catch (error) {
      await explainMissing(current, error, context);
      return;
    }
    context.health.hasten();
    // A healthy deployment has no other error.
    if (current.state === "HEALTHY" && current.lastError) await store(current, { lastError: undefined }, context);
  },
};

/** An engine changes the number within the range that the container was created with. Another range needs another container. */
function mayScaleOtherwise(comparison: Comparison | undefined): boolean {
  return comparison?.kind === "different";
}

function isSupervised({ runtime }: RepairContext): boolean {
  return runtime.abilities.restarts === "engine";
}

function isWrong(desired: DesiredApp, container: ContainerView, context: RepairContext): boolean {
  return container.wanted !== countFor(desired, container, context) || (hasSeveral(container) && isAnyDown(container));
}

/** Lets requests go to the first instances only. An engine that supervises instances does that for those that it ends. */
async function drained(
  deployment: Deployment,
  container: ContainerView,
  count: number,
  context: RepairContext,
): Promise<Deployment> {
  if (deployment.state === "STARTING") return deployment;
  const instances = container.instances.map((instance, index) => (index < count ? instance : { ...instance, isReady: false }));
  const stored = await storeInstances(context, deployment, { ...container, instances });
  await context.clock.sleep(drainMs, context.signal);
  return stored;
}

/** What runs serves on, so the state stays, and the other repairs get their turns. */
async function explainMissing(deployment: Deployment, error: unknown, context: RepairContext): Promise<void> {
  context.signal.throwIfAborted();
  if (!(error instanceof ContainerError) || error.reason === "unreachable") throw error;
  context.logger.warn({ app: deployment.appName, err: error }, "orchestration: not every instance could be started");
  const lastError = { code: "UPSTREAM_ERROR", message: `not every instance runs: ${error.message}` } as const;
  await store(deployment, { lastError, notBefore: new Date(context.clock.now() + pauseMs) }, context);
}

async function store(
  deployment: Deployment,
  changes: Partial<Pick<Deployment, "lastError" | "notBefore">>,
  context: RepairContext,
): Promise<void> {
  const after = { ...deployment, ...changes, updatedAt: new Date(context.clock.now()) };
  await context.deployments.transition(context.writer, deployment, after);
}

function countFor(desired: DesiredApp, { wanted }: ContainerView, context: RepairContext): number {
  return correctCount(replicasOf(desired, context), wanted, context);
}
