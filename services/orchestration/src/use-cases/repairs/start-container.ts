import { settleFailure } from "../failure.ts";
import type { Repair } from "../workbench.ts";

/** Starts the created container. */
export const startContainer: Repair = {
  name: "start-container",
  applies: ({ deployment, container }) => deployment?.state === "STARTING" && container?.status === "created",
  apply: async ({ deployment, container }, bench) => {
    if (!deployment || !container) return;
    try {
      await bench.runtime.start(container.name);
    } catch (error) {
      await settleFailure(bench, deployment, error);
      return;
    }
    bench.metrics.containerStarted(deployment.appName);
  },
};
