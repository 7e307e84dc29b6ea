import { isDown } from "../observed-state.ts";
import { moveTo, type Repair } from "../repair-context.ts";

/**
 * Starts stopped containers at the start of the orchestrator and after the engine was away
 * (docs/interface/containers.md#reconcile-loop). They stopped with the machine, the platform or the engine, which is not a failure of the
 * app. So the start is not counted and has no back-off. If the engine restarts what ends, another program has stopped them at any time.
 */
export const startStopped: Repair = {
  name: "start-stopped",
  applies: ({ deployment, container, isStartup }, { runtime }) =>
    (runtime.abilities.restarts === "engine" ? isDown(container) : isStartup && container?.status === "exited") &&
    (deployment?.state === "HEALTHY" || deployment?.state === "UNHEALTHY" || deployment?.state === "STARTING"),
  apply: async ({ deployment }, context) => {
    if (deployment) await moveTo(context, deployment, "RESTARTING");
  },
};
