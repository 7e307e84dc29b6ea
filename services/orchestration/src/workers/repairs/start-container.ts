import { settleFailure } from "../failure.ts";
import type { Repair } from "../repair-context.ts";

/** Starts the created container. */
export const startContainer: Repair = {
  name: "start-container",
  applies: ({ deployment, container }) => deployment?.state === "STARTING" && container?.status === "created",
  apply: async ({ deployment, container }, context) => {
    if (!deployment || !container) return;
    try {
      await context.runtime.start(container.name);
    } catch (error) {
      await settleFailure(context, deployment, error);
      return;
    }
    context.metrics.containerStarts.bind({ app: deployment.appName }).add();
  },
};
