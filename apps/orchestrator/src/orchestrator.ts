import type { Component } from "@appserver/kernel";
import { createOrchestration, type Orchestration, type OrchestrationDependencies } from "@appserver/orchestration";
import { refuseToOrchestrate } from "./refusals.ts";

export interface OrchestratorDependencies extends OrchestrationDependencies {
  readonly isEventBusEnabled: boolean;
  readonly isDockerEnabled: boolean;
}

/** The orchestrator service with its start conditions. */
export interface Orchestrator extends Component {
  readonly orchestration: Orchestration;
}

/**
 * Creates the orchestrator on the given drivers, for any process. `start` rejects with exactly the texts of
 * docs/interface/errors.md#orchestrator-errors if the event bus or container management is disabled, if the container runtime
 * cannot be reached, or if a value that every app's container needs is not configured.
 */
export function createOrchestrator(deps: OrchestratorDependencies): Orchestrator {
  const orchestration = createOrchestration(deps);
  return {
    name: "orchestrator",
    orchestration,
    start: async () => {
      refuseToOrchestrate(deps, deps.platform);
      await deps.runtime.ping();
      await orchestration.start?.();
    },
    stop: async () => {
      await orchestration.stop?.();
    },
  };
}
