import { settleFailure } from "../failure.ts";
import { moveTo, type Repair } from "../repair-context.ts";
import { replicasOf } from "../replicas.ts";

/**
 * Starts an app that is asleep and was asked to wake up, when it is its turn. A container that is missing or out of date is created
 * again. The start is not counted as a restart; one that fails is, with the back-off of the restart policy.
 */
export const wakeAsleep: Repair = {
  name: "wake-asleep",
  applies: ({ desired, deployment, container }, { turns }) =>
    desired !== undefined &&
    deployment?.state === "ASLEEP" &&
    deployment.wakeRequestedAt !== undefined &&
    (container?.status === "running" || turns.take(deployment.appName)),
  apply: async ({ desired, deployment, container, comparison }, context) => {
    if (!desired || !deployment) return;
    const { runtime, options, metrics } = context;
    if (container?.status === "running") {
      await moveTo(context, deployment, "STARTING");
      return;
    }
    if (!container || comparison?.kind === "different") {
      if (container) {
        await runtime.stop(container.name, options.stopTimeoutMs);
        await runtime.remove(container.name);
      }
      await moveTo(context, deployment, "CREATING");
      return;
    }
    try {
      await runtime.start(container.name, replicasOf(desired, context).min);
    } catch (error) {
      await settleFailure(context, deployment, error);
      return;
    }
    metrics.containerStarts.bind({ app: deployment.appName }).add();
    await moveTo(context, deployment, "STARTING");
  },
};
