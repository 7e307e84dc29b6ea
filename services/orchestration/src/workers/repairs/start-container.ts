import { settleFailure } from "../failure.ts";
import type { Repair } from "../repair-context.ts";
import { replicasOf } from "../replicas.ts";

/** Starts the created container. */
export const startContainer: Repair = {
  name: "start-container",
  applies: ({ desired, deployment, container }) =>
    desired !== undefined && deployment?.state === "STARTING" && container?.status === "created",
  apply: async ({ desired, deployment, container }, context) => {
    if (!desired || !deployment || !container) return;
    try {
      await context.runtime.start(container.name, replicasOf(desired, context).min);
    } catch (error) {
      await settleFailure(context, deployment, error);
      return;
    }
    context.metrics.containerStarts.bind({ app: deployment.appName }).add();
  },
};
