import { isDown } from "../observed-state.ts";
import { moveTo, type Repair } from "../repair-context.ts";

/** If a container is stopped again within this time, another program keeps it stopped. */
const soonMs = 60_000;
/** Pause before the next start of such a container. */
const pauseMs = 5_000;

/**
 * Starts stopped containers at the start of the orchestrator and after the engine was away
 * (docs/interface/containers.md#reconcile-loop). They stopped with the machine, the platform or the engine, which is not a failure of the
 * app. So the start is not counted and has no back-off. If the engine restarts what ends, another program has stopped them at any time: if the
 * deployment changed within the last minute, the start comes after 5 s.
 */
export const startStopped: Repair = {
  name: "start-stopped",
  applies: ({ deployment, container, isStartup }, { runtime }) =>
    (runtime.abilities.restarts === "engine" ? isDown(container) : isStartup && container?.status === "exited") &&
    (deployment?.state === "HEALTHY" || deployment?.state === "UNHEALTHY" || deployment?.state === "STARTING"),
  apply: async ({ deployment, now }, context) => {
    if (!deployment) return;
    const isSoon = context.runtime.abilities.restarts === "engine" && now - deployment.updatedAt.getTime() < soonMs;
    await moveTo(context, deployment, "RESTARTING", isSoon ? { notBefore: new Date(now + pauseMs) } : {});
  },
};
