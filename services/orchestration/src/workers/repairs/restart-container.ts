import { settleFailure } from "../failure.ts";
import { isReady } from "../observed-state.ts";
import { moveTo, type Repair } from "../repair-context.ts";

/** Restarts the container once the back-off is over. */
export const restartContainer: Repair = {
  name: "restart-container",
  applies: (observed) => observed.container !== undefined && isReady(observed, "RESTARTING"),
  apply: async ({ deployment, container }, context) => {
    if (!deployment || !container) return;
    try {
      await context.runtime.restart(container.name, context.options.stopTimeoutMs);
    } catch (error) {
      await settleFailure(context, deployment, error);
      return;
    }
    context.metrics.containerStarts.bind({ app: deployment.appName }).add();
    // Only after the start. A container found STARTING and exited would count as one that died.
    await moveTo(context, deployment, "STARTING");
  },
};
