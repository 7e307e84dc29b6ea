import type { Deployment } from "../../domain/deployment.ts";
import type { DesiredApp } from "../../domain/desired-app.ts";
import { drained } from "../drain.ts";
import { isWanted, type ObservedState } from "../observed-state.ts";
import { moveTo, type Repair, type RepairContext } from "../repair-context.ts";

/**
 * Stops and removes a container that should not run: the app is certainly not installed or disabled, a newer generation is
 * installed, a restart was requested, or the switch to the next release was cancelled or failed. It needs a deployment record of
 * this platform. A container without one is not changed.
 */
export const removeUnwanted: Repair = {
  name: "remove-unwanted",
  applies: (observed) => {
    const { deployment, container } = observed;
    if (!deployment) return false;
    if (deployment.state === "STOPPING") return true;
    return !isWanted(observed) && (deployment.state !== "STOPPED" || container !== undefined);
  },
  apply: async ({ installed, deployment, container }: ObservedState, context: RepairContext) => {
    if (!deployment) return;
    if (container?.status === "running" && isReplacedElsewhere(installed, deployment))
      await drained(context, { ...installed, appId: installed.id, since: new Date(context.clock.now()) });
    const stopping = isStopping(deployment) ? deployment : await moveTo(context, deployment, "STOPPING");
    if (container) {
      await context.runtime.stop(container.name, context.options.stopTimeoutMs);
      await context.runtime.remove(container.name);
      context.metrics.containerStops.bind({ app: deployment.appName }).add();
    }
    context.signal.throwIfAborted();
    await context.databases?.close(deployment, deployment.generation);
    if (stopping.state !== "STOPPED") await moveTo(context, stopping, "STOPPED", { restartRequestedAt: undefined });
  },
};

/** Returns whether the app has switched to a release that needs no container. */
function isReplacedElsewhere(
  installed: DesiredApp | undefined,
  { appId, generation, state }: Deployment,
): installed is DesiredApp {
  if (!installed?.enabled || installed.needsContainer || state === "STOPPING") return false;
  return installed.id === appId && installed.generation > generation;
}

function isStopping({ state }: Deployment): boolean {
  return state === "STOPPING" || state === "STOPPED";
}
