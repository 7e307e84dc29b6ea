import type { Component } from "@appserver/kernel";
import { createOrchestration, type Orchestration, type OrchestrationDependencies } from "@appserver/orchestration";
import { refuseToOrchestrate } from "./refusals.ts";

export interface OrchestratorDependencies extends OrchestrationDependencies {
  readonly isEventBusEnabled: boolean;
  readonly isDockerEnabled: boolean;
}

/** The service, and the conditions under which it runs at all. */
export interface Orchestrator extends Component {
  readonly orchestration: Orchestration;
}

/**
 * The orchestrator over given drivers, whichever process it is in. `start` rejects with exactly the texts of specification
 * §7.3 when the event bus or container management is disabled, the container runtime cannot be reached, or what every app's
 * container needs is not configured.
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
