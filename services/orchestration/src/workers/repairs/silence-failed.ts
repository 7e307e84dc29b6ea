import type { Deployment } from "../../domain/deployment.ts";
import { keptOutput } from "../../domain/last-output.ts";
import type { ContainerView } from "../../ports.ts";
import { outputOf } from "../failure.ts";
import { amend, type Repair } from "../repair-context.ts";

/**
 * Stops the container of a deployment that failed permanently. The container is kept for its log until the next deployment or the
 * uninstallation. If the engine keeps no output of stopped containers, the last lines are stored first, unless those of the end that made
 * the deployment fail are stored.
 */
export const silenceFailed: Repair = {
  name: "silence-failed",
  applies: ({ deployment, container }) => deployment?.state === "FAILED" && deployment.final && container?.status === "running",
  apply: async ({ desired, deployment, container }, context) => {
    if (!deployment || !container) return;
    if (!context.runtime.abilities.keepsOutputOfStopped && !hasEndedSinceHealthy(deployment, container)) {
      const output = keptOutput(await outputOf(context, desired, container.name));
      // A stop that is repeated may find no output any more.
      if (output.length > 0 || !deployment.lastCrash)
        await amend(context, deployment, { lastCrash: { at: new Date(context.clock.now()), output } });
    }
    await context.runtime.stop(container.name, context.options.stopTimeoutMs);
    context.metrics.containerStops.bind({ app: deployment.appName }).add();
  },
};

/** Returns whether the recorded end is one of the instances that run, and the app has not been healthy after it. */
function hasEndedSinceHealthy({ lastCrash, healthySince }: Deployment, { instances }: ContainerView): boolean {
  if (!lastCrash || (healthySince && healthySince > lastCrash.at)) return false;
  return instances.some(({ restarts }) => restarts > 0);
}
