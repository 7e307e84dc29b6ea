import { settleFailure } from "../failure.ts";
import { isReady } from "../situation.ts";
import { moveTo, type Repair } from "../workbench.ts";

/** Stops and starts the container once the back-off is over. */
export const restartContainer: Repair = {
  name: "restart-container",
  applies: (situation) => situation.container !== undefined && isReady(situation, "RESTARTING"),
  apply: async ({ deployment, container }, bench) => {
    if (!deployment || !container) return;
    try {
      await bench.runtime.stop(container.name, bench.options.stopTimeoutMs);
      await bench.runtime.start(container.name);
    } catch (error) {
      await settleFailure(bench, deployment, error);
      return;
    }
    bench.metrics.containerStarted(deployment.appName);
    // Only after the start. A container found STARTING and exited would count as one that died.
    await moveTo(bench, deployment, "STARTING");
  },
};
