import type { Deployment } from "../../domain/deployment.ts";
import { isWanted, type Situation } from "../situation.ts";
import { moveTo, type Repair, type Workbench } from "../workbench.ts";

/**
 * Stops and removes a container that should not run: the app is certainly not installed, a newer generation is installed, or a
 * restart was requested. It needs a deployment record of this platform. A container without one is not changed.
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
      await bench.runtime.stop(container.name, bench.options.stopTimeoutMs);
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
