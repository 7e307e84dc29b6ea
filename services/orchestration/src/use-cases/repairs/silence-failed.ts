import type { Repair } from "../workbench.ts";

/**
 * Stops the container of a deployment that was given up. The container is kept for its log until the next deployment or the
 * uninstallation.
 */
export const silenceFailed: Repair = {
  name: "silence-failed",
  applies: ({ deployment, container }) => deployment?.state === "FAILED" && deployment.final && container?.status === "running",
  apply: async ({ deployment, container }, bench) => {
    if (!deployment || !container) return;
    await bench.runtime.stop(container.name, bench.options.stopTimeoutMs);
    bench.metrics.containerStopped(deployment.appName);
  },
};
