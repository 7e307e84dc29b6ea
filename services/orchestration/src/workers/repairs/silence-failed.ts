import { keptOutput } from "../../domain/last-output.ts";
import { outputOf } from "../failure.ts";
import { amend, type Repair } from "../repair-context.ts";

/**
 * Stops the container of a deployment that failed permanently. The container is kept for its log until the next deployment or the
 * uninstallation. If the engine keeps no output of stopped containers, the last lines are stored first.
 */
export const silenceFailed: Repair = {
  name: "silence-failed",
  applies: ({ deployment, container }) => deployment?.state === "FAILED" && deployment.final && container?.status === "running",
  apply: async ({ desired, deployment, container }, context) => {
    if (!deployment || !container) return;
    if (!context.runtime.abilities.keepsOutputOfStopped && deployment.lastCrash === undefined) {
      const output = keptOutput(await outputOf(context, desired, container.name));
      await amend(context, deployment, { lastCrash: { at: new Date(context.clock.now()), output } });
    }
    await context.runtime.stop(container.name, context.options.stopTimeoutMs);
    context.metrics.containerStops.bind({ app: deployment.appName }).add();
  },
};
