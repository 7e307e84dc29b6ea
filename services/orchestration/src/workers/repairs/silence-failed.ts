import type { Repair } from "../repair-context.ts";

/**
 * Stops the container of a deployment that failed permanently. The container is kept for its log until the next deployment or the
 * uninstallation.
 */
export const silenceFailed: Repair = {
  name: "silence-failed",
  applies: ({ deployment, container }) => deployment?.state === "FAILED" && deployment.final && container?.status === "running",
  apply: async ({ deployment, container }, context) => {
    if (!deployment || !container) return;
    await context.runtime.stop(container.name, context.options.stopTimeoutMs);
    context.metrics.containerStops.bind({ app: deployment.appName }).add();
  },
};
