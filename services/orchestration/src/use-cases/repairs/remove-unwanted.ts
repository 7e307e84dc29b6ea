import type { Deployment } from "../../domain/deployment.ts";
import { isWanted, type Situation } from "../situation.ts";
import { moveTo, type Repair, type Workbench } from "../workbench.ts";

/**
 * Stops and removes what should not run: the app is surely not installed, a newer generation is, or somebody asked for a
 * restart. It needs our own record of the deployment; a container without one is left alone.
 */
export const removeUnwanted: Repair = {
  name: "remove-unwanted",
  applies: (situation) => {
    const { deployment, container } = situation;
    if (!deployment) return false;
    if (deployment.state === "STOPPING") return true;
    return !isWanted(situation) && (deployment.state !== "STOPPED" || container !== undefined);
  },
  apply: async ({ desired, deployment, container }: Situation, bench: Workbench) => {
    if (!deployment) return;
    const stopping = isStopping(deployment) ? deployment : await moveTo(bench, deployment, "STOPPING");
    if (container) {
      await bench.runtime.stop(container.name, bench.settings.stopTimeoutMs);
      await bench.runtime.remove(container.name);
      bench.metrics.containerStopped(deployment.appName);
    }
    if (stopping.state !== "STOPPED") await moveTo(bench, stopping, "STOPPED", { restartRequestedAt: undefined });
    if (!desired) bench.metrics.removed(deployment.appName);
  },
};

function isStopping({ state }: Deployment): boolean {
  return state === "STOPPING" || state === "STOPPED";
}
